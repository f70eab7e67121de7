import Transport

/// What a relay says of itself at one moment.
package struct RelayReading: Sendable {
    package let totals: RelayTotals
    package let clients: Int
    /// Rooms that the shard orders, by what they are at.
    package let rooms: Int
    package let roomsLoading: Int
    package let roomsSettling: Int
    /// Lost connections that may come back.
    package let lostClients: Int
    /// The time between two ticks that the shard finds right.
    package let tickMilliseconds: Int
}
