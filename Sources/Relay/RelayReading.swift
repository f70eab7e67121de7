import Transport

/// What a relay says of itself at one moment.
public struct RelayReading: Sendable {
    public let totals: RelayTotals
    public let clients: Int
    /// Rooms that the shard orders, by what they are at.
    public let rooms: Int
    public let roomsLoading: Int
    public let roomsSettling: Int
    /// Lost connections that may come back.
    public let lostClients: Int
    /// The time between two ticks that the shard finds right.
    public let tickMilliseconds: Int
}
