import CSQLite
import Glibc
import Threads

/// The store in a SQLite database: one thread writes, a few read.
///
/// Close it before it goes: its threads hold what they need, and run until then.
package final class SQLiteStore: ServerStore {
    package enum Place: Sendable, Equatable {
        /// Nothing outlives the process.
        case memory
        case directory(String)
    }

    let limits: StoreLimits
    let notifies: Bool
    let now: @Sendable () -> Int64
    let state = StoreState()
    private let directory: DataDirectory?
    private let jobs: JobQueue<StoreJob>
    /// Nil in memory, where there is one connection only.
    private let reads: JobQueue<StoreJob>?
    private let threads: Monitor<[SystemThread]>

    /// Opens the store and brings it up to the newest version.
    ///
    /// - Parameters:
    ///   - notifies: whether notifications of what happens in rooms go into the outbox.
    ///   - now: the clock by which things grow too old.
    package init(
        _ place: Place, limits: StoreLimits = StoreLimits(), notifies: Bool = false,
        now: @escaping @Sendable () -> Int64 = { Clock.unixSeconds() }
    ) throws(StoreError) {
        limits.check()
        self.limits = limits
        self.notifies = notifies
        self.now = now
        jobs = JobQueue(jobsMax: limits.waitingJobsMax, bytesMax: limits.waitingBytesMax)
        let writing: Database
        var reading: [Database] = []
        switch place {
        case .memory:
            directory = nil
            reads = nil
            writing = try Self.open(.memory, limits)
        case .directory(let path):
            let directory = try DataDirectory(path)
            self.directory = directory
            reads = JobQueue(jobsMax: limits.waitingJobsMax, bytesMax: limits.waitingBytesMax)
            writing = try Self.open(.file(directory.databasePath), limits)
            for _ in 0..<limits.readerThreads {
                reading.append(try Self.openReader(.file(directory.databasePath), limits))
            }
        }
        try Self.loseAll(writing, at: now())
        try Self.endLeases(writing)
        threads = Monitor([])
        try start(writing, reading, now)
    }

    // MARK: Opening

    /// Throws when a directory's database is there and none that this program can use, such as one of a newer version.
    /// A server may use it meanwhile.
    package static func checkVersion(in directory: String) throws(StoreError) {
        let path = DataDirectory.databasePath(in: directory)
        guard access(path, F_OK) == 0 else { return }
        let limits = StoreLimits()
        _ = try Migrations.version(openReader(.file(path), limits))
    }

    private static func open(_ place: Database.Place, _ limits: StoreLimits) throws(StoreError) -> Database {
        let database = try Database(place, .create, lockMillisecondsMax: limits.lockMillisecondsMax)
        // The first statement that looks at the file: what is no database shows itself here.
        let found = try Migrations.version(database)
        try database.script(
            """
            PRAGMA trusted_schema = OFF;
            PRAGMA journal_mode = WAL;
            PRAGMA synchronous = FULL;
            PRAGMA foreign_keys = ON;
            PRAGMA temp_store = MEMORY;
            PRAGMA cache_size = -\(limits.writerCacheKibibytes);
            PRAGMA wal_autocheckpoint = \(limits.logPagesMax);
            PRAGMA journal_size_limit = \(limits.logPagesMax * 4_096);
            """)
        if limits.databaseBytesMax > 0 { try bound(database, limits.databaseBytesMax) }
        if found < Migrations.newest { try Migrations.run(database) }
        return database
    }

    private static func openReader(_ place: Database.Place, _ limits: StoreLimits) throws(StoreError) -> Database {
        // Readers of a write-ahead log write to its index, so the file is opened for writing and the connection is not.
        let database = try Database(place, .write, lockMillisecondsMax: limits.lockMillisecondsMax)
        try database.script("PRAGMA trusted_schema = OFF; PRAGMA query_only = ON")
        return database
    }

    private static func bound(_ database: Database, _ bytesMax: Int64) throws(StoreError) {
        let pageSize = try database.first("PRAGMA page_size") { $0.int(0) } ?? 4_096
        try database.script("PRAGMA max_page_count = \(max(bytesMax / pageSize, 1))")
    }

    private func start(
        _ writing: sending Database, _ reading: sending [Database], _ now: @escaping @Sendable () -> Int64
    ) throws(StoreError) {
        let (limits, state, jobs, reads) = (limits, state, jobs, reads)
        var started: [SystemThread] = []
        // Each connection is handed over to its thread and not touched here again.
        nonisolated(unsafe) let writing = writing
        let writer = SystemThread {
            StoreWriter(writing, limits, queue: jobs, readers: reads, state: state, now: now).run()
        }
        if let writer { started.append(writer) }
        if let reads {
            for database in reading {
                nonisolated(unsafe) let database = database
                let reader = SystemThread { StoreReader.run(database, reads, state) }
                if let reader { started.append(reader) }
            }
        }
        let isWhole = started.count == 1 + reading.count
        threads.withLock { [started] in $0 = started }
        guard isWhole else {
            close()
            throw .failed(writing.place.shown, detail: "the system has no more threads")
        }
    }

    // MARK: Jobs

    /// Does a job with others in one transaction, and answers when that has been stored.
    func write<Value: Sendable>(
        byteCount: Int = 256, then answer: @escaping Answer<Value>,
        _ body: @escaping @Sendable (Database) throws(StoreError) -> Value
    ) {
        offer(StoreJob(.write, byteCount: byteCount, then: answer, body), to: jobs)
    }

    /// Reads what was stored when the call came, or later.
    func read<Value: Sendable>(
        then answer: @escaping Answer<Value>, _ body: @escaping @Sendable (Database) throws(StoreError) -> Value
    ) {
        offer(StoreJob(.read, then: answer, body), to: reads ?? jobs)
    }

    /// Reads what was asked to be written before this call, too.
    func readAfterWrites<Value: Sendable>(
        then answer: @escaping Answer<Value>, _ body: @escaping @Sendable (Database) throws(StoreError) -> Value
    ) {
        offer(StoreJob(.read, then: answer, body), to: jobs)
    }

    private func offer(_ job: StoreJob, to queue: JobQueue<StoreJob>) {
        switch queue.offer(job, byteCount: job.byteCount) {
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
        counters.memoryBytes = Int(sqlite3_memory_used())
        if let path = directory?.databasePath {
            counters.databaseBytes = Self.size(of: path)
            counters.logBytes = Self.size(of: path + "-wal")
        }
        return counters
    }

    private static func size(of path: String) -> Int {
        var status = stat()
        return stat(path, &status) == 0 ? Int(status.st_size) : 0
    }

    /// Stores what waits, answers everybody, and gives the directory back. To be called by a thread that is not the
    /// store's; what comes later is refused.
    package func close() {
        jobs.close()
        let joined = threads.withLock { threads in
            defer { threads = [] }
            return threads
        }
        for thread in joined { thread.join() }
        directory?.release()
    }
}
