import CSQLite
import Glibc

/// Copies of a data directory's database.
package enum StoreBackup {
    private static let pagesPerStep: Int32 = 1_024

    /// Copies the database of a directory into a new file. A server may use the directory meanwhile: the copy has the
    /// data of one moment.
    package static func make(of directory: String, to file: String) throws(StoreError) {
        guard access(file, F_OK) != 0 else { throw .conflict("\(file) is there already.") }
        let source = try SQLiteDriver.openReader(of: directory)
        guard try Migrations.version(source) > 0 else { throw .notAStore(source.shown) }
        try copy(source, to: file)
    }

    /// Replaces a directory's database by a copy. No server may use the directory.
    ///
    /// - Parameter replacing: whether an existing database may be replaced. It stays beside the new one as
    ///   `rooms.db.replaced`.
    package static func restore(_ file: String, to path: String, replacing: Bool) throws(StoreError) {
        let source = try SQLiteConnection(.file(file), .read, lockMillisecondsMax: 1_000)
        guard try Migrations.version(source) > 0 else { throw .notAStore(file) }
        let verdict = try source.first("PRAGMA integrity_check(1)") { $0.text(0) }
        guard verdict == "ok" else { throw .corrupt(file) }
        let directory = try DataDirectory(path)
        defer { directory.release() }
        let database = directory.databasePath
        let isThere = access(database, F_OK) == 0
        guard !isThere || replacing else { throw .conflict("\(database) is there already.") }
        let next = "\(database).next"
        unlink(next)
        try copy(source, to: next)
        // The old database keeps its log. Read with another database's log, both would be damaged.
        if isThere { try moveAside(database) }
        unlink("\(database)-wal")
        unlink("\(database)-shm")
        guard rename(next, database) == 0 else { throw DataDirectory.fault(database) }
        try flush(path)
    }

    private static func moveAside(_ database: String) throws(StoreError) {
        let aside = "\(database).replaced"
        unlink("\(aside)-wal")
        unlink(aside)
        // The old database has both names until the new one takes its place.
        guard link(database, aside) == 0 else { throw DataDirectory.fault(aside) }
        if rename("\(database)-wal", "\(aside)-wal") != 0, errno != ENOENT { throw DataDirectory.fault(aside) }
    }

    /// Copies the data of one moment to a file. The file appears only when it is complete.
    private static func copy(_ source: SQLiteConnection, to file: String) throws(StoreError) {
        let part = "\(file).part"
        unlink(part)
        do throws(StoreError) {
            let target = try SQLiteConnection(.file(part), .create, lockMillisecondsMax: 1_000)
            // In one transaction all steps see one state, whatever is written meanwhile.
            try source.begin(.read)
            defer { source.rollBack() }
            _ = try source.first("SELECT count(*) FROM sqlite_schema") { $0.int(0) }
            guard let backup = sqlite3_backup_init(target.handle, "main", source.handle, "main") else {
                throw target.fault()
            }
            var code: Int32
            repeat { code = sqlite3_backup_step(backup, pagesPerStep) } while code == SQLITE_OK
            let end = sqlite3_backup_finish(backup)
            guard code == SQLITE_DONE, end == SQLITE_OK else { throw target.fault(code == SQLITE_DONE ? end : code) }
            // One file that needs no other.
            try target.script("PRAGMA journal_mode = DELETE")
        } catch {
            unlink(part)
            throw error
        }
        try flush(part)
        guard rename(part, file) == 0 else { throw DataDirectory.fault(file) }
        try flush(parent(file))
    }

    private static func parent(_ file: String) -> String {
        guard let slash = file.lastIndex(of: "/") else { return "." }
        return slash == file.startIndex ? "/" : String(file[..<slash])
    }

    /// Flushes a file, or the names in a directory, to the disk.
    private static func flush(_ path: String) throws(StoreError) {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw DataDirectory.fault(path) }
        defer { close(descriptor) }
        guard fsync(descriptor) == 0 else { throw DataDirectory.fault(path) }
    }
}
