import Wire

/// A user in a room.
public struct Participant: Equatable, Sendable {
    public let id: String
    public let name: String
    /// As in `#3CB44B`.
    public let color: String
    /// As in `2025-10-10T10:00:00Z`.
    public let joinedAt: String
    /// The participant's small number in this room, while it is in the room.
    public let slot: Int

    public init(id: String, name: String, color: String, joinedAt: String, slot: Int) {
        self.id = id
        self.name = name
        self.color = color
        self.joinedAt = joinedAt
        self.slot = slot
    }

    private static let keys = JSONKeys("userId", "user", "color", "joinedAt", "slot")
    private static let userKeys = JSONKeys("username")

    package init?(_ text: Span<UInt8>, _ range: Range<Int>) {
        guard let fields = try? JSON.fields(Self.keys, of: text, range: range),
            let id = fields[0].string(in: text), let slot = fields[4].int(in: text)
        else { return nil }
        self.id = id
        self.slot = slot
        color = fields[2].string(in: text) ?? ""
        joinedAt = fields[3].string(in: text) ?? ""
        let user = fields[1].kind == .object ? try? JSON.fields(Self.userKeys, of: text, range: fields[1].range) : nil
        name = user?[0].string(in: text) ?? id
    }
}
