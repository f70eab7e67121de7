import Transport

/// The numbers of a relay at one moment.
package struct RelayReading: Sendable {
    package let totals: RelayTotals
    package let clients: Int
    /// Rooms that the shard orders, by their state.
    package let rooms: Int
    package let roomsLoading: Int
    package let roomsSettling: Int
    /// Rooms with members on this node whose home is another node.
    package let roomsElsewhere: Int
    /// Lost connections whose clients can still come back.
    package let lostClients: Int
    /// The time between two ticks that the shard has chosen.
    package let tickMilliseconds: Int
}
