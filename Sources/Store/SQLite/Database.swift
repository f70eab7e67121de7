import CSQLite
import Glibc

/// A connection to a SQLite database, used by one thread at a time.
///
/// Statements are literals of the source and are prepared once: values reach them as parameters only.
final class Database {
    enum Place: Sendable, Equatable {
        case memory
        case file(String)

        var path: String {
            switch self {
            case .memory: ":memory:"
            case .file(let path): path
            }
        }

        /// As it is shown to people.
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

    let place: Place
    let handle: OpaquePointer
    private var statements: [UnsafePointer<UInt8>: OpaquePointer] = [:]

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
            throw SQLFault.error(handle, code, place)
        }
        self.place = place
        self.handle = handle
        sqlite3_extended_result_codes(handle, 1)
        sqlite3_busy_timeout(handle, lockMillisecondsMax)
        // A file that was made to harm cannot run functions from its schema.
        sqlite3_limit(handle, SQLITE_LIMIT_ATTACHED, 0)
    }

    /// SQLite would let everybody read a file that it makes. The files that it puts beside this one get its mode. If it
    /// cannot be made, opening it says why. One that is there is not opened here: closing it again would take the locks
    /// of other connections away.
    private static func make(_ path: String) {
        let descriptor = Glibc.open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0o640)
        if descriptor >= 0 { close(descriptor) }
    }

    deinit {
        for statement in statements.values { sqlite3_finalize(statement) }
        sqlite3_close_v2(handle)
    }

    /// Rows that the statement before has inserted, changed or deleted.
    var changeCount: Int { Int(sqlite3_changes(handle)) }
    var isInTransaction: Bool { sqlite3_get_autocommit(handle) == 0 }

    // MARK: Statements

    /// Runs a statement whose rows, if it has any, are not looked at.
    func run(_ sql: StaticString, _ values: SQLValue...) throws(StoreError) {
        try each(sql, values) { _ throws(StoreError) in }
    }

    /// The first row of a result, if there is one.
    func first<Value>(
        _ sql: StaticString, _ values: SQLValue..., read: (SQLRow) throws(StoreError) -> Value
    ) throws(StoreError) -> Value? {
        let statement = try bound(sql, values)
        defer { sqlite3_reset(statement) }
        return try step(statement) ? read(SQLRow(statement: statement)) : nil
    }

    func rows<Value>(
        _ sql: StaticString, _ values: SQLValue..., read: (SQLRow) throws(StoreError) -> Value
    ) throws(StoreError) -> [Value] {
        var found: [Value] = []
        try each(sql, values) { row throws(StoreError) in found.append(try read(row)) }
        return found
    }

    func each(
        _ sql: StaticString, _ values: [SQLValue], _ body: (SQLRow) throws(StoreError) -> Void
    ) throws(StoreError) {
        let statement = try bound(sql, values)
        defer { sqlite3_reset(statement) }
        while try step(statement) { try body(SQLRow(statement: statement)) }
    }

    private func bound(_ sql: StaticString, _ values: [SQLValue]) throws(StoreError) -> OpaquePointer {
        let statement = try prepared(sql)
        precondition(sqlite3_bind_parameter_count(statement) == values.count, "\(sql) has other parameters")
        for (index, value) in values.enumerated() {
            guard bind(value, statement, Int32(index + 1)) == SQLITE_OK else { throw fault() }
        }
        return statement
    }

    private func bind(_ value: SQLValue, _ statement: OpaquePointer, _ index: Int32) -> Int32 {
        switch value {
        case .null: return sqlite3_bind_null(statement, index)
        case .int(let number): return sqlite3_bind_int64(statement, index, number)
        case .real(let number): return sqlite3_bind_double(statement, index, number)
        case .json(let bytes):
            return bytes.withUnsafeBytes { rooms_sqlite_bind_text(statement, index, $0.baseAddress, $0.count) }
        case .text(var text):
            return text.withUTF8 { rooms_sqlite_bind_text(statement, index, $0.baseAddress, $0.count) }
        }
    }

    private func prepared(_ sql: StaticString) throws(StoreError) -> OpaquePointer {
        if let statement = statements[sql.utf8Start] { return statement }
        var statement: OpaquePointer?
        let code = sql.withUTF8Buffer {
            $0.withMemoryRebound(to: CChar.self) {
                sqlite3_prepare_v3(
                    handle, $0.baseAddress, Int32($0.count), UInt32(SQLITE_PREPARE_PERSISTENT), &statement, nil)
            }
        }
        guard code == SQLITE_OK, let statement else { throw fault(code) }
        statements[sql.utf8Start] = statement
        return statement
    }

    /// Whether there is a row.
    private func step(_ statement: OpaquePointer) throws(StoreError) -> Bool {
        errno = 0
        switch sqlite3_step(statement) {
        case SQLITE_ROW: return true
        case SQLITE_DONE: return false
        case let code: throw SQLFault.error(handle, code, place, system: errno)
        }
    }

    /// Runs statements without parameters one after another: migrations and pragmas.
    func script(_ sql: String) throws(StoreError) {
        let code = sqlite3_exec(handle, sql, nil, nil, nil)
        guard code == SQLITE_OK else { throw fault(code) }
    }

    // MARK: Transactions

    /// Runs the body in a transaction that is undone when it throws.
    func transaction<Value>(_ body: () throws(StoreError) -> Value) throws(StoreError) -> Value {
        try run("BEGIN IMMEDIATE")
        do {
            let value = try body()
            try run("COMMIT")
            return value
        } catch {
            rollBack()
            throw error
        }
    }

    /// Some failures have ended the transaction by themselves.
    func rollBack() {
        if isInTransaction { sqlite3_exec(handle, "ROLLBACK", nil, nil, nil) }
    }

    func fault(_ code: Int32? = nil) -> StoreError {
        SQLFault.error(handle, code ?? sqlite3_extended_errcode(handle), place)
    }
}
