import Wire

/// Puts the binary ticks of a session's rooms together: an event's text, and the attachment that follows it.
struct TickAssembler {
    /// What each room's ticks have told so far.
    private var decoders: [String: TickDecoder] = [:]
    /// Of the event whose attachments come: its room, if it is a tick, and how many are to come.
    private var roomID: String?
    private var attachmentsLeft = 0

    private static let name = Array("touch:tick".utf8)

    /// The text of an event with attachments. Attachments of other events than ticks are passed over.
    mutating func begin(_ head: SocketPacketHead, _ text: Span<UInt8>) {
        attachmentsLeft = head.attachments
        roomID = nil
        guard head.attachments == 1, text.extracting(head.eventName).equals(Self.name) else { return }
        var items = JSONItems(range: head.payload)
        guard (try? items.next(in: text)) != nil, let room = try? items.next(in: text) else { return }
        roomID = room.string(in: text)
    }

    /// The next attachment.
    mutating func take(_ bytes: Span<UInt8>) throws(TickFault) -> (TouchBatch, interval: Int)? {
        guard attachmentsLeft > 0 else { throw TickFault() }
        attachmentsLeft -= 1
        guard let roomID else { return nil }
        var (touches, left): ([(slot: Int, touch: Touch)], [(slot: Int, touch: Touch)]) = ([], [])
        let header = try decoders[roomID, default: TickDecoder()].decode(bytes) { touch in
            let place = Touch(x: touch.x, y: touch.y, elementID: touch.elementID.flatMap(Self.text))
            if touch.leaves { left.append((touch.slot, place)) } else { touches.append((touch.slot, place)) }
        }
        let isWhole = header.isOfView && header.isAbsolute
        return (TouchBatch(roomID: roomID, touches: touches, left: left, isWhole: isWhole), header.interval)
    }

    private static func text(_ json: [UInt8]) -> String? {
        (try? JSON.validate(json.span))?.string(in: json.span)
    }
}
