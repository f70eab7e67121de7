import API
import Relay
import Sessions
import Transport

/// What one shard says of itself when it is asked: copies of the plain numbers that only its thread writes.
struct ShardReading: Sendable {
    let transport: ShardTotals
    let sessions: SessionTotals
    let relay: RelayReading?
    /// Nil on a server without a data directory.
    let requests: RequestTotals?
    let jobsWaiting: Int
    let jobsRefused: Int
    /// How long the question waited for the loop: what anything else waits that comes to it.
    let lag: Duration

    /// On the shard's thread.
    init(_ shard: Shard, askedAt: ContinuousClock.Instant) {
        lag = askedAt.duration(to: .now)
        transport = shard.totals
        sessions = shard.local(SessionService.self)?.totals ?? SessionTotals()
        relay = shard.local(Relay.self)?.reading
        requests = shard.local(RequestCounter.self)?.totals
        (jobsWaiting, jobsRefused) = shard.mailboxes[shard.index].counts
    }
}
