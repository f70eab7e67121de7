import Threads

/// The store in a database: one thread writes, a few read.
///
/// Call `close` before releasing it: its threads run until then.
package final class DatabaseStore: ServerStore {
    package enum Place: Sendable, Equatable {
        /// SQLite in memory. Nothing survives the process.
        case memory
        /// SQLite in a data directory.
        case directory(String)
        /// PostgreSQL.
        case postgres(PostgresPlace)

        func driver(_ limits: StoreLimits) throws(StoreError) -> any SQLDriver {
            switch self {
            case .memory: SQLiteDriver(limits: limits)
            case .directory(let path): try SQLiteDriver(directory: path, limits: limits)
            case .postgres(let place): PostgresDriver(place, limits: limits)
            }
        }

        /// For tools: a connection that only reads, while a server may use the place, and the version of the schema.
        func openReader() throws(StoreError) -> (database: any SQLConnection, version: Int) {
            switch self {
            case .memory: throw .notAStore("memory")
            case .directory(let path):
                let database = try SQLiteDriver.openReader(of: path)
                return (database, try Migrations.version(database))
            case .postgres(let place):
                let database = try PostgresConnection(place, StoreLimits(), isReader: true)
                return (database, try PostgresMigrations.version(database))
            }
        }
    }

    let limits: StoreLimits
    let now: @Sendable () -> Int64
    let notifies: Bool
    /// The number of the node, if the database serves a cluster.
    let node: Int?
    let state = StoreState()
    let hasher: AllowanceHasher
    /// The number of this start. Nil in a cluster, where other nodes start meanwhile: the newest number counts there.
    let start: Int64?
    /// Claims of rooms. They wait for other nodes, and nothing else must wait with them.
    let claims: JobQueue<StoreJob>
    /// Jobs of limits, codes and profiles.
    let counts: JobQueue<StoreJob>
    private let driver: any SQLDriver
    private let jobs: JobQueue<StoreJob>
    /// Nil when the writing connection also reads.
    private let reads: JobQueue<StoreJob>?
    private let threads: Monitor<[SystemThread]>

    /// Opens the store and migrates it to the newest version.
    ///
    /// - Parameters:
    ///   - notifies: whether notifications of events in rooms go into the outbox.
    ///   - node: the number of the node, if the database serves a cluster.
    ///   - now: the clock that decides what is too old.
    package init(
        _ place: Place, limits: StoreLimits = StoreLimits(), notifies: Bool = false, node: Int? = nil,
        now: @escaping @Sendable () -> Int64 = { Clock.unixSeconds() }
    ) throws(StoreError) {
        limits.check()
        self.limits = limits
        self.notifies = notifies
        self.node = node
        self.now = now
        claims = JobQueue(jobsMax: limits.waitingJobsMax, bytesMax: limits.waitingBytesMax)
        counts = JobQueue(jobsMax: limits.waitingJobsMax, bytesMax: limits.waitingBytesMax)
        driver = try place.driver(limits)
        jobs = JobQueue(jobsMax: limits.waitingJobsMax, bytesMax: limits.waitingBytesMax)
        let writing = try driver.openWriter(isShared: node != nil)
        let reading = try driver.openReaders()
        reads =
            reading.isEmpty ? nil : JobQueue(jobsMax: limits.waitingJobsMax, bytesMax: limits.waitingBytesMax)
        hasher = AllowanceHasher(secret: try StoreSecret(writing).value())
        try Self.loseAll(writing, of: node, at: now())
        // Who takes the database over from another server has to count at once, and has written to it already. A data directory
        // belongs to one process, and may have no space left: there the first job counts.
        let (number, isCounted) = try Self.start(in: place, of: node, writing)
        start = node == nil ? number : nil
        // The leases of a node that has ended end by themselves.
        if node == nil { try Self.endLeases(writing) }
        threads = Monitor([])
        var lone: [any SQLConnection] = []
        for _ in 0..<(node == nil ? 0 : 2) { lone.append(try driver.openWriter(isShared: true)) }
        try start(writing, reading, lone, uncounted: isCounted ? nil : number)
    }

    private static func start(
        in place: Place, of node: Int?, _ database: any SQLConnection
    ) throws(StoreError) -> (number: Int64, isCounted: Bool) {
        let table = StartTable(database)
        if node == nil {
            switch place {
            case .memory, .directory: return (try table.next(), false)
            case .postgres: break
            }
        }
        return (try table.count(), true)
    }

    /// Throws when a place has a database that this program cannot use, such as one of a newer version. A server may use
    /// it meanwhile.
    package static func checkVersion(in place: Place) throws(StoreError) {
        switch place {
        case .memory: break
        case .directory(let path): try SQLiteDriver.checkVersion(in: path)
        case .postgres: _ = try place.openReader()
        }
    }

    private func start(
        _ writing: sending any SQLConnection, _ reading: sending [any SQLConnection],
        _ lone: sending [any SQLConnection], uncounted: Int64?
    ) throws(StoreError) {
        let (limits, notifies, state, jobs, reads, now) = (limits, notifies, state, jobs, reads, now)
        var started: [SystemThread] = []
        // Each connection is passed to its thread and not used here again.
        nonisolated(unsafe) let writing = writing
        let writer = SystemThread {
            StoreWriter(
                writing, limits, notifies: notifies, start: uncounted, queue: jobs, readers: reads, state: state,
                now: now
            ).run()
        }
        if let writer { started.append(writer) }
        if let reads {
            for database in reading {
                nonisolated(unsafe) let database = database
                let reader = SystemThread { StoreReader.run(database, reads, state) }
                if let reader { started.append(reader) }
            }
        }
        for (database, queue) in zip(lone, [claims, counts]) {
            nonisolated(unsafe) let database = database
            if let writer = SystemThread({ LoneWriter.run(database, queue) }) { started.append(writer) }
        }
        let isWhole = started.count == 1 + reading.count + lone.count
        threads.withLock { [started] in $0 = started }
        guard isWhole else {
            close()
            throw .failed(driver.shown, detail: "the system has no more threads")
        }
    }

    // MARK: Jobs

    /// Executes a job with others in one transaction, and answers when the transaction is stored. It throws `ended` when the
    /// session is over for which the calling task works.
    ///
    /// - Parameter person: whose account must not end meanwhile.
    func write<Value: Sendable>(
        about person: String? = nil, byteCount: Int = 256, then answer: @escaping Answer<Value>,
        _ body: @escaping @Sendable (any SQLConnection) throws(StoreError) -> Value
    ) {
        // Elsewhere one transaction writes at a time.
        let person = node == nil ? nil : Mandate.current?.person ?? person
        offer(StoreJob(writing: Self.mandated(body), for: person, byteCount: byteCount, then: answer))
    }

    /// Executes a job in a transaction of its own where the store is shared, because it locks rows of all nodes.
    ///
    /// - Parameter queue: that of the thread which does it there.
    func writeAlone<Value: Sendable>(
        _ queue: JobQueue<StoreJob>, byteCount: Int = 256, then answer: @escaping Answer<Value>,
        _ body: @escaping @Sendable (any SQLConnection) throws(StoreError) -> Value
    ) {
        // A store that is not shared has one connection that writes.
        let job = StoreJob(
            writing: Self.mandated(body), for: Mandate.current?.person, byteCount: byteCount, then: answer)
        offer(job, to: node == nil ? nil : queue)
    }

    /// Executes a job that ends sessions of a person, or begins one, or ends the account: in a transaction of its own where the store
    /// is shared. Two such jobs of a person come one after the other, and each waits for what is being written for the person.
    /// Nothing comes later that the end would have removed.
    func writeAlone<Value: Sendable>(
        endingOf person: String, then answer: @escaping Answer<Value>,
        _ body: @escaping @Sendable (any SQLConnection) throws(StoreError) -> Value
    ) {
        var locks = [(person: person, lock: PersonLock.whole)]
        // An administrator ends accounts of others. Of two who end each other's both lock the two in one order.
        if let other = Mandate.current?.person, !other.utf8.elementsEqual(person.utf8) {
            locks.append((other, .shared))
        }
        locks.sort { $0.person < $1.person }
        let mandated = Self.mandated(body)
        let job = StoreJob(
            writing: { [locks] (database) throws(StoreError) in
                for (person, lock) in locks { try database.lock(person, lock) }
                return try mandated(database)
            }, for: nil, byteCount: 256, then: answer)
        offer(job, to: node == nil ? nil : counts)
    }

    /// A request may have been long under way since its token was checked. All that requests write goes through here, so that
    /// no statement has to look by itself whether its person is still the one who may.
    private static func mandated<Value: Sendable>(
        _ body: @escaping @Sendable (any SQLConnection) throws(StoreError) -> Value
    ) -> @Sendable (any SQLConnection) throws(StoreError) -> Value {
        guard let mandate = Mandate.current else { return body }
        return { (database) throws(StoreError) in
            guard try database.holds(mandate) else { throw .ended }
            return try body(database)
        }
    }

    /// Reads data as of the call, or later.
    func read<Value: Sendable>(
        then answer: @escaping Answer<Value>,
        _ body: @escaping @Sendable (any SQLConnection) throws(StoreError) -> Value
    ) {
        offer(StoreJob(reading: body, then: answer), to: reads)
    }

    /// Reads data that includes all writes before this call.
    func readAfterWrites<Value: Sendable>(
        then answer: @escaping Answer<Value>,
        _ body: @escaping @Sendable (any SQLConnection) throws(StoreError) -> Value
    ) {
        offer(StoreJob(reading: body, then: answer))
    }

    /// - Parameter queue: nil for the queue of the writing thread.
    func offer(_ job: StoreJob, to queue: JobQueue<StoreJob>? = nil) {
        switch (queue ?? jobs).offer(job, byteCount: job.byteCount) {
        case .taken: break
        case .full:
            state.count { $0.refusedJobs += 1 }
            job.fail(.overloaded)
        case .closed: job.fail(.closed)
        }
    }

    // MARK: State

    package var health: StoreHealth { state.health }

    package func onHealth(_ handler: @escaping @Sendable (StoreHealth) -> Void) { state.onHealth(handler) }

    package var counters: StoreCounters {
        var counters = state.counters
        counters.waitingJobs = jobs.count
        driver.measure(&counters)
        return counters
    }

    /// Stores the waiting jobs, answers all callers, and releases the directory. Call it from a thread that is not the
    /// store's. Later calls are refused.
    package func close() {
        jobs.close()
        claims.close()
        counts.close()
        let joined = threads.withLock { threads in
            defer { threads = [] }
            return threads
        }
        for thread in joined { thread.join() }
        driver.release()
    }
}
