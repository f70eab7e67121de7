import Transport

/// What the relays of all shards of a server have in common.
public final class RelayHub: Sendable {
    /// The time between two ticks that each shard finds right for itself, in milliseconds, by the shard's index.
    public let tickIntervals: [Counter]

    public init(shardCount: Int) {
        tickIntervals = (0..<shardCount).map { _ in Counter() }
    }
}
