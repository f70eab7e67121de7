import CSQLite
import Glibc

/// A connection to a SQLite database.
final class SQLiteConnection: SQLConnection {
    enum Place: Sendable, Equatable {
        case memory
        case file(String)

        var path: String {
            switch self {
            case .memory: ":memory:"
            case .file(let path): path
            }
        }

        /// In the form for messages.
        var shown: String {
            switch self {
            case .memory: "the store in memory"
            case .file(let path): path
            }
        }
    }

    enum Access {
        case create, write, read
    }

    private struct Statement {
        let handle: OpaquePointer
        /// The index of each parameter. For SQLite `$1` is a name, which it numbers in the order of occurrence.
        let indices: [Int32]
    }

    let place: Place
    let handle: OpaquePointer
    private var statements: [UnsafePointer<UInt8>: Statement] = [:]
    /// Whether the newest transaction may have written.
    private var isWriting = false

    var shown: String { place.shown }

    init(_ place: Place, _ access: Access, lockMillisecondsMax: Int32) throws(StoreError) {
        let flags =
            switch access {
            case .create: SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE
            case .write: SQLITE_OPEN_READWRITE
            case .read: SQLITE_OPEN_READONLY
            }
        if access == .create, case .file(let path) = place { Self.make(path) }
        var handle: OpaquePointer?
        let code = sqlite3_open_v2(place.path, &handle, flags | SQLITE_OPEN_NOMUTEX, nil)
        guard let handle else { throw .failed(place.shown, detail: "there is no memory left") }
        guard code == SQLITE_OK else {
            defer { sqlite3_close_v2(handle) }
            throw SQLiteFault.error(handle, code, place)
        }
        self.place = place
        self.handle = handle
        sqlite3_extended_result_codes(handle, 1)
        sqlite3_busy_timeout(handle, lockMillisecondsMax)
        // A malicious file cannot run functions from its schema.
        sqlite3_limit(handle, SQLITE_LIMIT_ATTACHED, 0)
    }

    /// SQLite would make a file that all users can read. The files that it makes beside this one get its mode. If it
    /// cannot be made, opening it gives the reason. A file that exists is not opened here: closing it would release the
    /// locks of other connections.
    private static func make(_ path: String) {
        let descriptor = Glibc.open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0o640)
        if descriptor >= 0 { close(descriptor) }
    }

    deinit {
        for statement in statements.values { sqlite3_finalize(statement.handle) }
        sqlite3_close_v2(handle)
    }

    // MARK: Statements

    func execute(
        _ sql: StaticString, _ values: [SQLValue], row: (any SQLRow) throws(StoreError) -> Bool
    ) throws(StoreError) -> Int {
        let statement = try prepared(sql)
        precondition(statement.indices.count == values.count, "\(sql) has other parameters")
        for (index, value) in zip(statement.indices, values) {
            guard bind(value, statement.handle, index) == SQLITE_OK else { throw fault() }
        }
        defer { sqlite3_reset(statement.handle) }
        while try step(statement.handle) {
            guard try row(SQLiteRow(statement: statement.handle)) else { break }
        }
        return changeCount
    }

    /// Rows that the statement before has inserted, changed or deleted.
    var changeCount: Int { Int(sqlite3_changes(handle)) }

    private func prepared(_ sql: StaticString) throws(StoreError) -> Statement {
        if let statement = statements[sql.utf8Start] { return statement }
        var handle: OpaquePointer?
        let code = sql.withUTF8Buffer {
            $0.withMemoryRebound(to: CChar.self) {
                sqlite3_prepare_v3(
                    self.handle, $0.baseAddress, Int32($0.count), UInt32(SQLITE_PREPARE_PERSISTENT), &handle, nil)
            }
        }
        guard code == SQLITE_OK, let handle else { throw fault(code) }
        let indices = (0..<sqlite3_bind_parameter_count(handle)).map {
            sqlite3_bind_parameter_index(handle, "$\($0 + 1)")
        }
        precondition(!indices.contains(0), "\(sql) leaves a number out")
        let statement = Statement(handle: handle, indices: indices)
        statements[sql.utf8Start] = statement
        return statement
    }

    private func bind(_ value: SQLValue, _ statement: OpaquePointer, _ index: Int32) -> Int32 {
        switch value {
        case .null: return sqlite3_bind_null(statement, index)
        case .bool(let bool): return sqlite3_bind_int64(statement, index, bool ? 1 : 0)
        case .int(let number): return sqlite3_bind_int64(statement, index, number)
        case .real(let number): return sqlite3_bind_double(statement, index, number)
        case .json(let bytes):
            return bytes.withUnsafeBytes { rooms_sqlite_bind_text(statement, index, $0.baseAddress, $0.count) }
        case .text(var text):
            return text.withUTF8 { rooms_sqlite_bind_text(statement, index, $0.baseAddress, $0.count) }
        }
    }

    /// Whether there is a row.
    private func step(_ statement: OpaquePointer) throws(StoreError) -> Bool {
        errno = 0
        switch sqlite3_step(statement) {
        case SQLITE_ROW: return true
        case SQLITE_DONE: return false
        case let code: throw SQLiteFault.error(handle, code, place, system: errno)
        }
    }

    // MARK: Transactions

    func begin(_ access: SQLAccess) throws(StoreError) {
        switch access {
        case .read: try run("BEGIN")
        case .write: try run("BEGIN IMMEDIATE")
        }
        isWriting = access == .write
    }

    /// Writes to a file that was moved or deleted would be lost, so this throws then.
    func commit() throws(StoreError) {
        try run("COMMIT")
        if isWriting, rooms_sqlite_has_moved(handle) { throw .moved(shown) }
    }

    func rollBack() {
        let isInTransaction = sqlite3_get_autocommit(handle) == 0
        if isInTransaction { sqlite3_exec(handle, "ROLLBACK", nil, nil, nil) }
    }

    func fault(_ code: Int32? = nil) -> StoreError {
        SQLiteFault.error(handle, code ?? sqlite3_extended_errcode(handle), place)
    }
}
