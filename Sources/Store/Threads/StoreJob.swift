/// Called once with what came of a job, on a thread of the store; when the store has no place for the job, on the
/// caller's and before the call returns.
package typealias Answer<Value> = @Sendable (Result<Value, StoreError>) -> Void

/// Something to be done with the database, and whom to tell.
struct StoreJob: Sendable {
    typealias Told = @Sendable () -> Void

    enum Kind {
        /// Shares a transaction with others; told when that has been stored.
        case write
        /// Reads what was stored before it came.
        case read
    }

    let kind: Kind
    let byteCount: Int
    /// May run twice, the first time undone. What it answers is called when the job has been done and, if it writes, stored.
    let run: @Sendable (Database) throws(StoreError) -> Told
    let fail: @Sendable (StoreError) -> Void

    init<Value: Sendable>(
        _ kind: Kind, byteCount: Int = 256, then answer: @escaping Answer<Value>,
        _ body: @escaping @Sendable (Database) throws(StoreError) -> Value
    ) {
        self.kind = kind
        self.byteCount = byteCount
        run = { (database) throws(StoreError) in
            let value = try body(database)
            return { answer(.success(value)) }
        }
        fail = { answer(.failure($0)) }
    }
}
