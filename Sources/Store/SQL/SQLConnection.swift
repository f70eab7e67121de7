/// A connection to a database, used by one thread at a time.
///
/// **Statements** are literals of the source. A driver prepares each once for a connection and knows it by its address.
/// Values reach it only as the parameters `$1`, `$2` and so on, a form that SQLite and PostgreSQL both have.
///
/// **Errors** have the same names for every kind of database:
///
/// | what happens | `StoreError` |
/// |---|---|
/// | no space is left, or the bound of the database's size is reached | `diskFull` |
/// | this user or this connection may not write | `readOnly` |
/// | the database reports damage | `corrupt` |
/// | the place holds something else | `notAStore` |
/// | a lock, or a transaction that collides with this one, was waited for in vain | `locked` |
/// | any other error of the database, such as a lost connection | `failed`, with its own words |
///
/// `StoreError.isPassing` says whether the same may succeed when it is tried again. After an error the transaction is
/// unusable until it is rolled back, at least to a savepoint.
protocol SQLConnection: AnyObject {
    /// The place in the form for messages.
    var shown: String { get }

    // MARK: Statements

    /// Executes a statement and passes its rows to `row` until that returns false.
    ///
    /// - Returns: how many rows the statement inserted, changed or deleted; meaningful only after such a statement.
    func execute(
        _ sql: StaticString, _ values: [SQLValue], row: (any SQLRow) throws(StoreError) -> Bool
    ) throws(StoreError) -> Int

    // MARK: Transactions

    /// Begins a transaction.
    func begin(_ access: SQLAccess) throws(StoreError)
    /// Ends the transaction. Everything that it wrote is on disk then.
    func commit() throws(StoreError)
    /// Undoes the transaction, if there is one. Some errors have ended it already.
    func rollBack()

    // MARK: What each kind of database does in its own way

    /// Appends to the logs of rooms, in the current transaction. These are all appends of a group, in order.
    ///
    /// - Returns: the answer to each append. It may instead throw the refusal of one. Then the transaction is undone,
    ///   and all jobs of the group are executed again, each append in a call of its own behind a savepoint.
    func append(
        _ appends: [RoomAppend], _ writing: JournalWriting
    ) throws(StoreError) -> [Result<UInt64, StoreError>]

    /// Leases notifications that are due, the longest due first. No other connection gets the same.
    func leasePushes(limit: Int, at now: Int64, until end: Int64) throws(StoreError) -> [LeasedPush]

    /// Locks a person until the end of the transaction. It does nothing for a person whom the store does not know, and where only
    /// one transaction writes at a time.
    func lock(_ person: String, _ lock: PersonLock) throws(StoreError)

    /// The database's clock, in milliseconds since 1970: the same for all servers that use it.
    func milliseconds() throws(StoreError) -> Int64

    /// When the database's server was started, by the same clock; 0 without one.
    func startMilliseconds() throws(StoreError) -> Int64

    /// Makes later keys greater than those that rows were inserted with.
    func adoptKeys() throws(StoreError)

    /// Writes something and undoes it. Throws if the database still cannot write.
    func probe() throws(StoreError)

    /// Cleans up, before the last writing connection of a healthy database is closed.
    func finish()

    /// Checks the storage below the rows.
    ///
    /// - Returns: a sentence for each fault.
    func checkStorage() throws(StoreError) -> [String]
}

enum SQLAccess {
    /// The transaction reads data of one moment.
    case read
    /// The transaction waits for others that write the same.
    case write
}

extension SQLConnection {
    /// Executes a statement whose rows, if it has any, are not needed.
    ///
    /// - Returns: how many rows it inserted, changed or deleted.
    @discardableResult
    func run(_ sql: StaticString, _ values: SQLValue...) throws(StoreError) -> Int {
        try execute(sql, values) { _ throws(StoreError) in true }
    }

    /// The first row of a result, if there is one.
    func first<Value>(
        _ sql: StaticString, _ values: SQLValue..., read: (any SQLRow) throws(StoreError) -> Value
    ) throws(StoreError) -> Value? {
        var found: Value?
        _ = try execute(sql, values) { row throws(StoreError) in
            found = try read(row)
            return false
        }
        return found
    }

    func rows<Value>(
        _ sql: StaticString, _ values: SQLValue..., read: (any SQLRow) throws(StoreError) -> Value
    ) throws(StoreError) -> [Value] {
        var found: [Value] = []
        try each(sql, values) { row throws(StoreError) in found.append(try read(row)) }
        return found
    }

    func each(
        _ sql: StaticString, _ values: [SQLValue], _ body: (any SQLRow) throws(StoreError) -> Void
    ) throws(StoreError) {
        _ = try execute(sql, values) { row throws(StoreError) in
            try body(row)
            return true
        }
    }

    /// Whether the session of a mandate is open. It stays so until the end of the transaction, which has locked the person.
    func holds(_ mandate: Mandate) throws(StoreError) -> Bool {
        try first(
            "SELECT 1 FROM sessions WHERE id = $1 AND person = $2", .text(mandate.session), .text(mandate.person)
        ) { _ in true } ?? false
    }

    /// Executes the body in a transaction, which is undone when the body throws.
    func transaction<Value>(
        _ access: SQLAccess = .write, _ body: () throws(StoreError) -> Value
    ) throws(StoreError) -> Value {
        do throws(StoreError) {
            try begin(access)
            let value = try body()
            try commit()
            return value
        } catch {
            rollBack()
            throw error
        }
    }
}
