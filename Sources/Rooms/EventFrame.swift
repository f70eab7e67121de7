import Wire

/// An event of Socket.IO's default namespace as the bytes of one WebSocket text frame: `42["name",{…}]`.
///
/// A frame is made once for all recipients. Clients that poll get the same text without the frame's header.
enum EventFrame {
    /// Appends a frame. `body` writes its only argument.
    static func append(
        _ name: StaticString, to frames: inout [UInt8], _ body: (inout [UInt8]) -> Void
    ) {
        // The length of the header depends on that of the payload, which is not known yet. This reserves the longest
        // usual header.
        let start = frames.count
        for _ in 0..<headerRoom { frames.append(0) }
        frames.append(contentsOf: [0x34, 0x32, 0x5b, 0x22])
        name.withUTF8Buffer { frames.append(contentsOf: $0) }
        frames.append(contentsOf: [0x22, 0x2c])
        body(&frames)
        frames.append(0x5d)
        finish(&frames, start)
    }

    /// Appends an event whose argument is JSON already.
    static func append(_ name: String, argument: [UInt8], to frames: inout [UInt8]) {
        let start = frames.count
        for _ in 0..<headerRoom { frames.append(0) }
        frames.append(contentsOf: [0x34, 0x32, 0x5b, 0x22])
        frames.append(contentsOf: name.utf8)
        frames.append(contentsOf: [0x22, 0x2c])
        frames.append(contentsOf: argument)
        frames.append(0x5d)
        finish(&frames, start)
    }

    /// The argument of the last frame, which must be an event of this name.
    static func argument(of name: StaticString, in frames: [UInt8]) -> [UInt8] {
        var last = 0..<0
        for text in FrameTexts(frames) { last = text }
        // The argument stands between `2["name",` and `]`.
        return Array(frames[last].dropFirst(name.utf8CodeUnitCount + 5).dropLast())
    }

    /// The same for an entry that tells the last position of a touch before its end, as it is kept: the end has the
    /// position as its last member.
    static func argument(of name: StaticString, in frames: [UInt8], after position: [UInt8]) -> [UInt8] {
        var kept = argument(of: name, in: frames)
        kept.removeLast()
        kept += lastKey
        kept += argument(of: "touch:moved", in: position)
        kept.append(UInt8(ascii: "}"))
        return kept
    }

    /// Takes such an argument apart. The position is nil if there is none.
    static func parts(of argument: [UInt8]) -> (position: [UInt8]?, end: [UInt8]) {
        // Within a string its quotation marks would be escaped.
        let starts = argument.indices.dropLast(lastKey.count)
        guard let start = starts.first(where: { argument[$0...].starts(with: lastKey) }) else { return (nil, argument) }
        var end = Array(argument[..<start])
        end.append(UInt8(ascii: "}"))
        return (Array(argument[(start + lastKey.count)...].dropLast()), end)
    }

    private static let lastKey = Array(#","last":"#.utf8)

    /// Appends an entry's frames in a form; with offsets, its own after the last frame's argument. `tail` is the text from
    /// the end of the number to the end of the event.
    static func append(_ entry: LogEntry, _ form: DeliveryForm, offsetTail tail: [UInt8], to frames: inout [UInt8]) {
        let source = entry.frames(for: form)
        guard form.contains(.offsets) else { return frames.append(contentsOf: source) }
        var (begin, payload) = (0, 0..<0)
        for text in FrameTexts(source) {
            begin = payload.upperBound
            payload = text.lowerBound - 1..<text.upperBound
        }
        frames.append(contentsOf: source[..<begin])
        let start = frames.count
        for _ in 0..<headerRoom { frames.append(0) }
        frames.append(contentsOf: source[payload].dropLast())
        frames.append(contentsOf: [0x2c, 0x22])
        DecimalInteger.append(Int(entry.seq), to: &frames)
        frames.append(contentsOf: tail)
        finish(&frames, start)
    }

    /// Appends the text of a `touch:tick`, which one attachment follows.
    static func appendTick(_ roomJSON: [UInt8], to frames: inout [UInt8]) {
        let start = frames.count
        for _ in 0..<headerRoom { frames.append(0) }
        frames.append(contentsOf: #"451-["touch:tick","#.utf8)
        frames.append(contentsOf: roomJSON)
        frames.append(contentsOf: #",{"_placeholder":true,"num":0}]"#.utf8)
        finish(&frames, start)
    }

    /// Appends a binary frame. `body` writes its content.
    static func appendAttachment(to frames: inout [UInt8], _ body: (inout [UInt8]) -> Void) {
        let start = frames.count
        for _ in 0..<headerRoom { frames.append(0) }
        body(&frames)
        finish(&frames, start, .binary)
    }

    private static let headerRoom = 4

    private static func finish(_ frames: inout [UInt8], _ start: Int, _ opcode: WebSocketOpcode = .text) {
        let length = frames.count - start - headerRoom
        let header = WebSocketFrame.headerLength(for: length)
        let spare = headerRoom - header
        if spare > 0 {
            frames.removeSubrange(start..<(start + spare))
        } else if spare < 0 {
            frames.insert(contentsOf: repeatElement(0, count: -spare), at: start)
        }
        frames.withUnsafeMutableBytes {
            _ = WebSocketFrame.writeHeader(to: $0, at: start, opcode: opcode, payloadLength: length)
        }
    }
}

/// The texts of a run of whole, unmasked text frames that this server wrote.
package struct FrameTexts: Sequence, IteratorProtocol {
    private var messages: FrameMessages

    package init(_ bytes: [UInt8], _ range: Range<Int>? = nil) {
        messages = FrameMessages(bytes, range)
    }

    /// The range of the next text, without its Engine.IO type.
    package mutating func next() -> Range<Int>? { messages.next()?.content }
}

/// The messages of a run of whole, unmasked frames that this server wrote.
package struct FrameMessages: Sequence, IteratorProtocol {
    private let bytes: [UInt8]
    private var position: Int
    private let end: Int

    package init(_ bytes: [UInt8], _ range: Range<Int>? = nil) {
        self.bytes = bytes
        position = range?.lowerBound ?? 0
        end = range?.upperBound ?? bytes.count
    }

    /// The range of the next message; of a text without its Engine.IO type.
    package mutating func next() -> (content: Range<Int>, isBinary: Bool)? {
        guard position + 2 <= end else { return nil }
        let isBinary = bytes[position] & 15 == WebSocketOpcode.binary.rawValue
        var length = Int(bytes[position + 1])
        var header = 2
        if length == 126 {
            length = Int(bytes[position + 2]) << 8 | Int(bytes[position + 3])
            header = 4
        } else if length == 127 {
            length = (0..<8).reduce(0) { $0 << 8 | Int(bytes[position + 2 + $1]) }
            header = 10
        }
        let start = position + header
        position = start + length
        return (isBinary ? start..<position : start + 1..<position, isBinary)
    }
}
