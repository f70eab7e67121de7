import Accounts
import Push
import Recorder
import Sessions
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
    let areBansRead: Bool
    /// Nil on a server that keeps nothing.
    let store: (counters: StoreCounters, isGood: Bool)?
    /// Empty rooms that are kept in memory; nil on a server with a store.
    let kept: (rooms: Int, bytes: Int)?
    /// Nil on a server without notifications.
    let pushes: PushTotals.Reading?
    /// Nil on a server that records no rooms.
    let recordings: RecordingTotals.Reading?
    /// One-time codes; nil on a server without accounts.
    let codes: [CodeWay: [CodeEnd: Int]]?
    /// Nil on a server that is not part of a cluster.
    let cluster: ClusterReading?
    let process: ProcessReading

    /// Asks all shards for their numbers. `done` gets all outside the loops; without the answers that have not come when
    /// the gathering is given up.
    static func gather(
        _ facts: OperatorFacts, _ mailboxes: [ShardMailbox], _ server: ServerState,
        _ done: @escaping @Sendable (ServerReading) -> Void
    ) -> Gathering<NumbersQuestion> {
        Gathering(mailboxes, NumbersQuestion(askedAt: ContinuousClock.now)) { answers in
            Task.detached {
                done(
                    ServerReading(
                        version: facts.version, shards: answers.map { $0?.reading }, transport: server.counters,
                        connectionsMax: server.limits.connectionsMax,
                        isDraining: answers.contains { $0?.isDraining == true }, areBansRead: facts.relay.bans.isRead,
                        store: facts.store.map { ($0.counters, $0.health.isGood) }, kept: facts.keeper?.counts,
                        pushes: facts.pushes?.reading, recordings: facts.recordings?.reading,
                        codes: facts.codes?.reading, cluster: facts.cluster?.reading, process: .now()))
            }
        }
    }

    var answered: [(index: Int, reading: ShardReading)] {
        shards.enumerated().compactMap { index, reading in reading.map { (index, $0) } }
    }

    /// A number of all shards together.
    func sum(_ number: (ShardReading) -> Int) -> Int { answered.reduce(0) { $0 + number($1.reading) } }
}

/// What has the shard counted, and is it draining?
struct NumbersQuestion: ShardQuestion {
    let askedAt: ContinuousClock.Instant

    func answer(on shard: Shard) -> (reading: ShardReading, isDraining: Bool) {
        (ShardReading(shard, askedAt: askedAt), shard.local(SessionService.self)?.isDraining ?? false)
    }
}
