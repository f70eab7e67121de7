import Wire

/// The state of a room as this client knows it: participants, elements and touches.
///
/// It is a value: a copy stays the same while the room changes.
public struct RoomState: Equatable, Sendable {
    public let id: String
    public internal(set) var name: String?
    /// Nil while the server does not record the room.
    public internal(set) var recording: RoomRecording?
    /// This client's own participant.
    public private(set) var own: Participant
    public private(set) var participants: [String: Participant] = [:]
    public private(set) var elements: [String: Element] = [:]
    /// The newest positions of current touches, by the ids of their users. Without this client's own.
    public private(set) var touches: [String: Touch] = [:]
    private var userOfSlot: [Int: String] = [:]

    private static let keys = JSONKeys("roomId", "room", "self", "participants", "elements", "recording")
    private static let roomKeys = JSONKeys("name")

    /// From `room:joined`.
    package init?(_ text: Span<UInt8>, _ range: Range<Int>) {
        guard let fields = try? JSON.fields(Self.keys, of: text, range: range),
            let id = fields[0].string(in: text), fields[2].kind == .object,
            let own = Participant(text, fields[2].range), fields[3].kind == .array, fields[4].kind == .array
        else { return nil }
        self.id = id
        self.own = own
        let room = fields[1].kind == .object ? try? JSON.fields(Self.roomKeys, of: text, range: fields[1].range) : nil
        name = room?[0].string(in: text)
        if fields[5].kind == .object { recording = RoomRecording(text, fields[5].range) }
        var items = JSONItems(range: fields[3].range)
        while let item = try? items.next(in: text) {
            guard let participant = Participant(text, item.range) else { return nil }
            insert(participant)
        }
        items = JSONItems(range: fields[4].range)
        while let item = try? items.next(in: text) {
            guard let element = Element(text, item.range) else { return nil }
            elements[element.id] = element
        }
    }

    public func participant(slot: Int) -> Participant? { userOfSlot[slot].flatMap { participants[$0] } }

    mutating func insert(_ participant: Participant) {
        // A participant who came back after the grace has joined the room anew.
        if participant.id == own.id { own = participant }
        participants[participant.id] = participant
        userOfSlot[participant.slot] = participant.id
    }

    mutating func removeParticipant(_ id: String) {
        guard let participant = participants.removeValue(forKey: id) else { return }
        if userOfSlot[participant.slot] == id { userOfSlot[participant.slot] = nil }
        touches[id] = nil
    }

    mutating func set(_ element: Element) { elements[element.id] = element }

    mutating func apply(_ change: TextChange) { elements[change.elementID]?.apply(change) }

    mutating func removeElement(_ id: String) { elements[id] = nil }

    mutating func set(_ touch: Touch, of user: String) { touches[user] = touch }

    mutating func endTouch(of user: String) { touches[user] = nil }
}
