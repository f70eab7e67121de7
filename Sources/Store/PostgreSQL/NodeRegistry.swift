import Threads

/// The server whose life a registry keeps. All calls come on the registry's thread.
package protocol NodeRegistryUser: Sendable {
    /// What the other nodes and operators read of this one, a JSON object; nil if there is nothing new. It is asked with
    /// each renewal.
    func takeReport() -> String?
    /// The lease was renewed.
    ///
    /// - Parameters:
    ///   - living: the numbers of the nodes that live, this one among them, with the versions of messages that they speak.
    ///   - lapses: how often the lease was over before it was renewed. It may have grown with a renewal whose answer was lost.
    func renewed(living: [Int: ClosedRange<Int>], lapses: Int)
    /// The database was started since the renewal before, or is another one: it may lack what was stored.
    func databaseWasStarted()
    /// An operator wants the node to end.
    func shallDrain()
    /// Another process lives under the number of this node. Nothing follows.
    func isReplaced()
}

/// The life of a node in its cluster: a lease in the database, which a thread renews.
///
/// Others may claim the rooms of a node whose lease is over. So a node that is frozen or cut off from the database loses
/// its rooms after the lease, and notices with its next append.
package final class NodeRegistry: Sendable {
    package static let leaseMilliseconds = HomeTable.leaseMilliseconds
    private static let renewalMilliseconds: Int64 = 500
    /// A process that was killed has left its lease behind.
    private static let patienceMilliseconds: Int64 = 6_000

    private struct State {
        var isStopped = false
        /// Nodes that are not heard any more.
        var silent: Set<Int> = []
        var renewedAt = Clock.milliseconds()
        /// How often the lease was over before it was renewed.
        var lapses = 0
    }

    package let node: ClusterNode
    private let state = Monitor(State())
    private let thread: Locked<SystemThread?>

    /// Begins the life of a node, once an earlier one under its number has ended. The schema has the newest version
    /// afterwards.
    ///
    /// - Parameters:
    ///   - links: the versions of messages between nodes that this one speaks.
    ///   - user: is told what the database says of the cluster, and says what the database is told of this node.
    package init(
        _ place: PostgresPlace, node: Int, version: String, links: ClosedRange<Int>, user: any NodeRegistryUser
    ) throws(StoreError) {
        var limits = StoreLimits()
        // Makes the tables, and takes the database for the cluster.
        _ = try PostgresDriver(place, limits: limits).openWriter(isShared: true)
        // Shorter than a lease: the next renewal must have its time.
        (limits.statementMillisecondsMax, limits.lockMillisecondsMax) = (1_500, 500)
        let database = try PostgresConnection(place, limits, isReader: false)
        database.fence = PostgresDriver.cluster
        self.node = try Self.begin(node, version, links, database)
        thread = Locked(nil)
        nonisolated(unsafe) let connection = database
        let (life, state) = (self.node, state)
        let started = SystemThread { Self.run(life, connection, state, user) }
        guard let started else { throw .failed(place.shown, detail: "the system has no more threads") }
        thread.withLock { $0 = started }
    }

    private static func begin(
        _ node: Int, _ version: String, _ links: ClosedRange<Int>, _ database: PostgresConnection
    ) throws(StoreError) -> ClusterNode {
        let end = Clock.milliseconds() + patienceMilliseconds
        while true {
            let life = try database.transaction { () throws(StoreError) in
                try HomeTable(database).begin(
                    node, version: version, links: links, lease: HomeTable.leaseMilliseconds)
            }
            if let life { return life }
            guard Clock.milliseconds() < end else {
                throw .failed(database.shown, detail: "another server is node \(node) of the cluster")
            }
            Clock.sleep(milliseconds: 100)
        }
    }

    private static func run(
        _ node: ClusterNode, _ database: PostgresConnection, _ state: Monitor<State>, _ user: any NodeRegistryUser
    ) {
        var isDraining = false
        var startedAt: Int64?
        while true {
            if state.withLock({ $0.isStopped }) { break }
            let next = Clock.milliseconds() + renewalMilliseconds
            let report = user.takeReport()
            do throws(StoreError) {
                let renewal = try database.transaction { () throws(StoreError) in
                    try HomeTable(database).renew(node, lease: HomeTable.leaseMilliseconds, report: report)
                }
                guard let renewal else { return user.isReplaced() }
                try database.transaction { () throws(StoreError) in
                    try HomeTable(database).loseSeatsOfEnded(at: Clock.unixSeconds())
                }
                state.withLock { state in
                    state.renewedAt = Clock.milliseconds()
                    state.lapses = renewal.lapses
                }
                user.renewed(living: renewal.living, lapses: renewal.lapses)
                if let startedAt, startedAt != renewal.startedAt { user.databaseWasStarted() }
                startedAt = renewal.startedAt
                if renewal.isDraining, !isDraining { user.shallDrain() }
                isDraining = renewal.isDraining
            } catch {
                // The store's own connections notice it, too, and say so.
            }
            wait(until: next, state, database)
        }
        try? database.transaction { () throws(StoreError) in try HomeTable(database).end(node) }
    }

    /// Waits for the next renewal, or until a silent node has been found to have ended.
    private static func wait(until next: Int64, _ state: Monitor<State>, _ database: PostgresConnection) {
        while true {
            let silent: Set<Int>? = state.wait { state in
                if state.isStopped || Clock.milliseconds() >= next { return .done(nil) }
                guard !state.silent.isEmpty else { return .again(at: next) }
                defer { state.silent = [] }
                return .done(state.silent)
            }
            guard let silent else { return }
            let hasEnded = try? database.transaction { () throws(StoreError) in
                try HomeTable(database).endSilent(silent)
            }
            // The next renewal tells all.
            if hasEnded == true { return }
        }
    }

    /// How long ago the lease was renewed, and how often it was over before.
    package var lease: (ageMilliseconds: Int64, lapses: Int) {
        state.withLock { (Clock.milliseconds() - $0.renewedAt, $0.lapses) }
    }

    /// A node is not heard any more. If it does not renew its lease either, its lease ends sooner.
    package func suspect(_ node: Int) {
        state.withLock { _ = $0.silent.insert(node) }
        state.notify()
    }

    /// Ends the node's life. Its rooms have no home then.
    package func stop() {
        state.withLock { $0.isStopped = true }
        state.notify()
        let started = thread.withLock { thread in
            defer { thread = nil }
            return thread
        }
        started?.join()
    }
}
