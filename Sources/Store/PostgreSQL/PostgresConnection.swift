import CPostgres
import Glibc
import Threads

/// A connection to PostgreSQL.
///
/// **Statements have no names**, and settings last for one transaction. So a pooler may give each transaction another
/// connection of its own (PgBouncer in transaction mode).
///
/// **A connection that was lost** is opened again by the next transaction. What was under way has failed. Whether its
/// COMMIT was stored is not known then. A caller that needs to know asks, such as a home that repeats an append.
final class PostgresConnection: SQLConnection {
    let place: PostgresPlace
    private let limits: StoreLimits
    private let isReader: Bool
    /// The number that the database has for the server that may write; nil while any may.
    var fence: Int64?
    private var handle: OpaquePointer?
    /// It stays true when the connection is lost, until the transaction is undone: a later statement of it must not go
    /// to another connection.
    private var isInTransaction = false
    /// Why the last attempt to connect failed, and until when there is no other.
    private var refusal: (error: StoreError, until: Int64)?

    var shown: String { place.shown }

    init(_ place: PostgresPlace, _ limits: StoreLimits, isReader: Bool) throws(StoreError) {
        self.place = place
        self.limits = limits
        self.isReader = isReader
        try connect()
    }

    deinit {
        PQfinish(handle)
    }

    // MARK: Connecting

    private static let oldestVersion: Int32 = 150_000

    private static let pauseMilliseconds: Int64 = 1_000

    /// After a failure it fails at once for a while: many jobs may wait for the connection.
    private func connect() throws(StoreError) {
        disconnect()
        if let refusal, Clock.milliseconds() < refusal.until { throw refusal.error }
        do throws(StoreError) {
            try connectNow()
            refusal = nil
        } catch {
            refusal = (error, Clock.milliseconds() + Self.pauseMilliseconds)
            throw error
        }
    }

    private func connectNow() throws(StoreError) {
        // Those before the URL are defaults, which it may replace; those behind it hold.
        let keywords = [
            "connect_timeout", "tcp_user_timeout", "keepalives_idle", "target_session_attrs",
            "fallback_application_name",
            "dbname", "client_encoding",
        ]
        // In seconds. A host of the URL that does not answer must not take the time of a lease; libpq waits for at least two.
        let patience = min(5, max(2, limits.statementMillisecondsMax / 1_000))
        let values = ["\(patience)", "10000", "10", "read-write", "rooms", place.url, "UTF8"]
        let made = Self.withCStrings(keywords) { keywords in
            Self.withCStrings(values) { PQconnectdbParams(keywords, $0, 1) }
        }
        guard let made else { throw .failed(shown, detail: "there is no memory left") }
        handle = made
        // Its notices would go to standard error.
        PQsetNoticeReceiver(made, { _, _ in }, nil)
        // Sending waits with a deadline, like receiving.
        if let problem = problem(of: made)
            ?? (PQsetnonblocking(made, 1) == 0 ? nil : "it cannot be used without waiting")
        {
            disconnect()
            throw .failed(shown, detail: problem)
        }
    }

    private func problem(of connection: OpaquePointer) -> String? {
        guard PQstatus(connection) == CONNECTION_OK else {
            return PostgresPlace.line(String(cString: PQerrorMessage(connection)))
        }
        let version = PQserverVersion(connection)
        if version < Self.oldestVersion { return "PostgreSQL 15 or newer is needed, this is \(version / 10_000)" }
        let encoding = PQparameterStatus(connection, "server_encoding").map { String(cString: $0) } ?? "unknown"
        return encoding == "UTF8" ? nil : "its encoding has to be UTF8, it is \(encoding)"
    }

    private static func withCStrings<Value>(
        _ strings: [String], _ body: (UnsafePointer<UnsafePointer<CChar>?>) -> Value
    ) -> Value {
        let copies = strings.map { strdup($0) }
        defer { for copy in copies { free(copy) } }
        let pointers = copies.map { UnsafePointer($0) } + [nil]
        return pointers.withUnsafeBufferPointer { pointers in
            // There is at least the closing nil.
            guard let start = pointers.baseAddress else { preconditionFailure("an array that is not empty") }
            return body(start)
        }
    }

    private func disconnect() {
        PQfinish(handle)
        handle = nil
    }

    /// The connection, opened again if it was lost between two transactions.
    private func connection() throws(StoreError) -> OpaquePointer {
        if let handle, PQstatus(handle) == CONNECTION_OK { return handle }
        guard !isInTransaction else { throw lost() }
        try connect()
        guard let handle else { throw lost() }
        return handle
    }

    private func lost() -> StoreError {
        let words = handle.map { PostgresPlace.line(String(cString: PQerrorMessage($0))) }
        disconnect()
        return .failed(shown, detail: "the connection was lost: \(words ?? "it was closed")")
    }

    // MARK: Statements

    func execute(
        _ sql: StaticString, _ values: [SQLValue], row: (any SQLRow) throws(StoreError) -> Bool
    ) throws(StoreError) -> Int {
        guard isInTransaction || !isReader else {
            return try transaction(.read) { () throws(StoreError) in try execute(sql, values, row: row) }
        }
        return try execute(sql, PostgresParameters(values), row: row)
    }

    /// Executes a statement on the rows of a table, whose columns are the statement's parameters as arrays.
    func execute(
        _ sql: StaticString, _ columns: [PostgresParameters.Column], _ rows: [[SQLValue]],
        row: (any SQLRow) throws(StoreError) -> Void = { _ in }
    ) throws(StoreError) -> Int {
        if rows.isEmpty { return 0 }
        return try execute(sql, PostgresParameters(columns, rows)) { found throws(StoreError) in
            try row(found)
            return true
        }
    }

    private func execute(
        _ sql: StaticString, _ parameters: PostgresParameters, row: (any SQLRow) throws(StoreError) -> Bool
    ) throws(StoreError) -> Int {
        let result = try answer { parameters.send(sql, on: $0) }
        defer { PQclear(result) }
        for index in 0..<PQntuples(result) {
            guard try row(PostgresRow(result: result, row: index)) else { break }
        }
        return Int(String(cString: PQcmdTuples(result))) ?? 0
    }

    /// Runs statements without parameters one after another.
    func script(_ sql: String) throws(StoreError) {
        PQclear(try answer { PQsendQuery($0, sql) == 1 })
    }

    /// Sends something and waits for the last of its results, which the caller clears.
    private func answer(_ send: (OpaquePointer) -> Bool) throws(StoreError) -> OpaquePointer {
        let connection = try connection()
        let deadline = Clock.milliseconds() + limits.statementMillisecondsMax
        guard send(connection), flush(connection, until: deadline) else { throw lost() }
        var last: OpaquePointer?
        var error: StoreError?
        while true {
            guard wait(for: connection, until: deadline) else {
                PQclear(last)
                throw lost()
            }
            guard let result = PQgetResult(connection) else { break }
            PQclear(last)
            last = result
            let status = PQresultStatus(result)
            if status != PGRES_COMMAND_OK, status != PGRES_TUPLES_OK, error == nil {
                error = PostgresFault.error(result, place)
            }
        }
        guard error == nil, let last else {
            PQclear(last)
            throw failed(connection, error ?? .failed(shown, detail: "a statement had no result"))
        }
        return last
    }

    private func failed(_ connection: OpaquePointer, _ error: StoreError) -> StoreError {
        if PQstatus(connection) != CONNECTION_OK { return lost() }
        // After a failover this is a standby. The next connection may find the new primary.
        if case .readOnly = error, !isReader { disconnect() }
        return error
    }

    /// Waits until everything is sent. Returns false when the connection is lost, or takes nothing for too long.
    private func flush(_ connection: OpaquePointer, until deadline: Int64) -> Bool {
        while true {
            switch PQflush(connection) {
            case 0: return true
            case 1:
                // The server may wait until its own words are read.
                guard poll(connection, POLLIN | POLLOUT, until: deadline), PQconsumeInput(connection) == 1 else {
                    return false
                }
            default: return false
            }
        }
    }

    /// Waits until a result is there. Returns false when the connection is lost, or silent for too long.
    private func wait(for connection: OpaquePointer, until deadline: Int64) -> Bool {
        while PQisBusy(connection) == 1 {
            guard poll(connection, POLLIN, until: deadline), PQconsumeInput(connection) == 1 else { return false }
        }
        return true
    }

    /// Returns false when the deadline is over.
    private func poll(_ connection: OpaquePointer, _ events: Int32, until deadline: Int64) -> Bool {
        let left = deadline - Clock.milliseconds()
        guard left > 0 else { return false }
        var descriptor = pollfd(fd: PQsocket(connection), events: Int16(events), revents: 0)
        _ = Glibc.poll(&descriptor, 1, Int32(clamping: left))
        return true
    }

    // MARK: Transactions

    func begin(_ access: SQLAccess) throws(StoreError) {
        let (wasConnected, start) = (handle != nil, Clock.milliseconds())
        do throws(StoreError) {
            try beginNow(access)
        } catch {
            // The connection was lost while nothing used it: nothing of this transaction has happened yet.
            let isFresh = Clock.milliseconds() - start < Self.pauseMilliseconds
            guard wasConnected, handle == nil, isFresh else { throw error }
            try beginNow(access)
        }
        isInTransaction = true
    }

    /// A node that has stopped in a transaction must not hold up the others of its cluster.
    private var idleMillisecondsMax: Int64 {
        fence == PostgresDriver.cluster ? min(2_000, limits.statementMillisecondsMax) : limits.statementMillisecondsMax
    }

    /// Everything goes in one message, and holds for this transaction only. A statement ends in the database, too, when
    /// nothing waits for it any more, and a server that has stopped in a transaction does not hold its locks for ever.
    private func beginNow(_ access: SQLAccess) throws(StoreError) {
        var sql: String
        switch access {
        case .read: sql = "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY"
        case .write:
            sql = """
                BEGIN ISOLATION LEVEL READ COMMITTED \(isReader ? "READ ONLY" : "READ WRITE");
                SET LOCAL lock_timeout = \(limits.lockMillisecondsMax);
                SET LOCAL idle_in_transaction_session_timeout = \(idleMillisecondsMax)
                """
        }
        sql += "; SET LOCAL statement_timeout = \(limits.statementMillisecondsMax)"
        let isFenced = access == .write && fence != nil
        // The lock makes a server that takes the database wait for this transaction.
        if isFenced { sql += "; SELECT server FROM rooms_schema FOR SHARE" }
        do throws(StoreError) {
            let result = try answer { PQsendQuery($0, sql) == 1 }
            defer { PQclear(result) }
            if isFenced, PQntuples(result) != 1 || PostgresRow(result: result, row: 0).int(0) != fence {
                throw .inUse(shown, by: nil)
            }
        } catch {
            // It may have begun all the same.
            if handle != nil { try? script("ROLLBACK") }
            throw error
        }
    }

    func commit() throws(StoreError) {
        let result = try answer { PQsendQuery($0, "COMMIT") == 1 }
        defer { PQclear(result) }
        isInTransaction = false
        // A transaction in which a statement has failed is undone by its COMMIT.
        guard String(cString: PQcmdStatus(result)) == "COMMIT" else {
            throw .failed(shown, detail: "the transaction was undone")
        }
    }

    func rollBack() {
        guard isInTransaction else { return }
        try? script("ROLLBACK")
        isInTransaction = false
    }

    // MARK: What is special to PostgreSQL

    func append(
        _ appends: [RoomAppend], _ writing: JournalWriting
    ) throws(StoreError) -> [Result<UInt64, StoreError>] {
        try PostgresAppend(self, writing).append(appends)
    }

    /// Several servers may lease at once: none waits for another.
    func leasePushes(limit: Int, at now: Int64, until end: Int64) throws(StoreError) -> [LeasedPush] {
        try rows(
            """
            WITH due AS (
                SELECT key FROM pushes
                WHERE done_at IS NULL AND due_at <= $1 AND (leased_until IS NULL OR leased_until <= $1)
                ORDER BY due_at, key LIMIT $2 FOR UPDATE SKIP LOCKED),
            leased AS (
                UPDATE pushes SET attempts = attempts + 1, leased_until = $3 FROM due WHERE pushes.key = due.key
                RETURNING pushes.*)
            SELECT key, account, room, type, minute, due_at, json, attempts FROM leased ORDER BY due_at, key
            """, .int(now), .int(limit), .int(end), read: LeasedPush.init)
    }

    /// The shared lock is the one of a foreign key. Those who hold it may go on to change the row without a wait for each other,
    /// which `FOR SHARE` would not let them.
    func lock(_ person: String, _ lock: PersonLock) throws(StoreError) {
        do throws(StoreError) {
            switch lock {
            case .shared: try run("SELECT 1 FROM people WHERE id = $1 FOR KEY SHARE", .text(person))
            case .whole: try run("SELECT 1 FROM people WHERE id = $1 FOR UPDATE", .text(person))
            }
        } catch .locked(let shown) {
            // Another transaction about this one person takes long: that is no fault of the database, nor of other jobs.
            throw .contended(shown)
        }
    }

    func milliseconds() throws(StoreError) -> Int64 {
        try first("SELECT (extract(epoch FROM clock_timestamp()) * 1000)::bigint") { $0.int(0) } ?? 0
    }

    func startMilliseconds() throws(StoreError) -> Int64 {
        try first("SELECT (extract(epoch FROM pg_postmaster_start_time()) * 1000)::bigint") { $0.int(0) } ?? 0
    }

    func adoptKeys() throws(StoreError) {
        for statement: StaticString in [
            "SELECT setval(pg_get_serial_sequence('rooms', 'key'), (SELECT coalesce(max(key), 1) FROM rooms))",
            "SELECT setval(pg_get_serial_sequence('pushes', 'key'), (SELECT coalesce(max(key), 1) FROM pushes))",
            """
            SELECT setval(
                pg_get_serial_sequence('person_numbers', 'key'), (SELECT coalesce(max(key), 1) FROM person_numbers))
            """,
        ] {
            try run(statement)
        }
    }

    func probe() throws(StoreError) {
        try transaction { () throws(StoreError) in
            try run("INSERT INTO probe VALUES ('\\x00')")
            try run("DELETE FROM probe")
        }
    }

    func finish() {}

    /// PostgreSQL checks its files by itself (`pg_amcheck`).
    func checkStorage() throws(StoreError) -> [String] {
        let probes = try first("SELECT count(*) FROM probe") { $0.int(0) } ?? 0
        return probes > 0 ? ["A probe was left behind."] : []
    }
}
