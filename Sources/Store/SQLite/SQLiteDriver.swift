import CSQLite
import Glibc

/// SQLite, in the file `rooms.db` of a data directory or in memory.
final class SQLiteDriver: SQLDriver {
    private let place: SQLiteConnection.Place
    private let limits: StoreLimits
    /// Nil in memory.
    private let directory: DataDirectory?

    /// A database that ends with its connection.
    init(limits: StoreLimits) {
        place = .memory
        directory = nil
        self.limits = limits
    }

    /// Takes the directory for this process.
    init(directory path: String, limits: StoreLimits) throws(StoreError) {
        let directory = try DataDirectory(path)
        place = .file(directory.databasePath)
        self.directory = directory
        self.limits = limits
    }

    var shown: String { place.shown }

    // MARK: Opening

    /// A data directory is never shared.
    func openWriter(
        isShared: Bool, check: (any SQLConnection) throws(StoreError) -> Void
    ) throws(StoreError) -> any SQLConnection {
        let database = try SQLiteConnection(place, .create, lockMillisecondsMax: limits.lockMillisecondsMax)
        // The first statement that reads the file. It fails for a file that is not a database.
        let found = try Migrations.version(database)
        try configure(database)
        if limits.databaseBytesMax > 0 { try bound(database, limits.databaseBytesMax) }
        // A place that is refused is left as it was. Nothing is written to a database that is as it should be: it may have no
        // space left.
        try database.transaction { () throws(StoreError) in
            if found < Migrations.newest { try Migrations.run(database) }
            try check(database)
        }
        return database
    }

    /// Sets what builds of SQLite have different defaults for.
    func configure(_ database: SQLiteConnection) throws(StoreError) {
        try database.script(
            """
            PRAGMA trusted_schema = OFF;
            PRAGMA journal_mode = WAL;
            PRAGMA synchronous = FULL;
            PRAGMA foreign_keys = ON;
            PRAGMA secure_delete = ON;
            PRAGMA temp_store = MEMORY;
            PRAGMA cache_size = -\(limits.writerCacheKibibytes);
            PRAGMA wal_autocheckpoint = \(limits.logPagesMax);
            PRAGMA journal_size_limit = \(limits.logPagesMax * 4_096);
            """)
    }

    private func bound(_ database: SQLiteConnection, _ bytesMax: Int64) throws(StoreError) {
        let pageSize = try database.first("PRAGMA page_size") { $0.int(0) } ?? 4_096
        try database.script("PRAGMA max_page_count = \(max(bytesMax / pageSize, 1))")
    }

    /// In memory there is one connection only.
    func openReaders() throws(StoreError) -> [any SQLConnection] {
        guard directory != nil else { return [] }
        var readers: [any SQLConnection] = []
        for _ in 0..<limits.readerThreads {
            readers.append(try Self.openReader(place, lockMillisecondsMax: limits.lockMillisecondsMax))
        }
        return readers
    }

    private static func openReader(
        _ place: SQLiteConnection.Place, lockMillisecondsMax: Int32
    ) throws(StoreError) -> SQLiteConnection {
        // Readers of a write-ahead log write to its index, so the file is opened for writing and the connection is not.
        let database = try SQLiteConnection(place, .write, lockMillisecondsMax: lockMillisecondsMax)
        try database.script("PRAGMA trusted_schema = OFF; PRAGMA query_only = ON")
        return database
    }

    // MARK: Beside a server

    /// For tools: a connection that only reads, while a server may use the directory.
    static func openReader(of directory: String) throws(StoreError) -> SQLiteConnection {
        try openReader(.file(DataDirectory.databasePath(in: directory)), lockMillisecondsMax: 10_000)
    }

    /// Throws when a directory has a database that this program cannot use, such as one of a newer version.
    static func checkVersion(in directory: String) throws(StoreError) {
        let path = DataDirectory.databasePath(in: directory)
        guard access(path, F_OK) == 0 else { return }
        let database = try openReader(.file(path), lockMillisecondsMax: StoreLimits().lockMillisecondsMax)
        _ = try Migrations.version(database)
    }

    // MARK: State

    func measure(_ counters: inout StoreCounters) {
        counters.memoryBytes = Int(sqlite3_memory_used())
        guard case .file(let path) = place else { return }
        counters.databaseBytes = Self.size(of: path)
        counters.logBytes = Self.size(of: path + "-wal")
    }

    private static func size(of path: String) -> Int {
        var status = stat()
        return stat(path, &status) == 0 ? Int(status.st_size) : 0
    }

    func release() { directory?.release() }
}
