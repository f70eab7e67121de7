import Push
import Store
import Transport

/// All that a server says of itself at one moment.
struct ServerReading: Sendable {
    let version: String
    /// By index; nil for a shard that did not answer in time.
    let shards: [ShardReading?]
    let transport: TransportCounters
    let connectionsMax: Int
    let isDraining: Bool
    /// Nil on a server that keeps nothing.
    let store: (counters: StoreCounters, isGood: Bool)?
    /// Empty rooms that are kept in memory; nil on a server with a store.
    let kept: (rooms: Int, bytes: Int)?
    /// Nil on a server without notifications.
    let pushes: PushTotals.Reading?
    let process: ProcessReading

    var answered: [(index: Int, reading: ShardReading)] {
        shards.enumerated().compactMap { index, reading in reading.map { (index, $0) } }
    }

    /// A number of all shards together.
    func sum(_ number: (ShardReading) -> Int) -> Int { answered.reduce(0) { $0 + number($1.reading) } }
}
