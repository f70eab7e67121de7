/// Called once with the result of a job, on a thread of the store. When the queue is full, it is called on the caller's
/// thread, before the call returns.
package typealias Answer<Value> = @Sendable (Result<Value, StoreError>) -> Void

/// Work for the database, with its answer.
struct StoreJob: Sendable {
    typealias Told = @Sendable () -> Void
    /// It may run twice, the first time undone. The function that it returns is called when the job is done and, if it
    /// writes, stored.
    typealias Body = @Sendable (any SQLConnection) throws(StoreError) -> Told

    enum Work {
        /// Shares a transaction with other appends and writes, and is answered when that is stored. It is a value, so
        /// that a driver may store the appends of a group together.
        case append(RoomAppend, then: @Sendable (UInt64) -> Void)
        /// Shares a transaction with others, and is answered when that is stored.
        case write(Body)
        /// Reads data as of its arrival or later.
        case read(Body)
    }

    let work: Work
    /// The person for whom, or about whom, is written. The account and its sessions do not end meanwhile.
    let person: String?
    let byteCount: Int
    let fail: @Sendable (StoreError) -> Void

    init(_ append: RoomAppend, byteCount: Int, then answer: @escaping Answer<UInt64>) {
        self.init(.append(append) { answer(.success($0)) }, byteCount, answer)
    }

    init<Value: Sendable>(
        writing body: @escaping @Sendable (any SQLConnection) throws(StoreError) -> Value, for person: String?,
        byteCount: Int, then answer: @escaping Answer<Value>
    ) {
        self.init(.write(Self.answered(body, answer)), byteCount, for: person, answer)
    }

    init<Value: Sendable>(
        reading body: @escaping @Sendable (any SQLConnection) throws(StoreError) -> Value,
        then answer: @escaping Answer<Value>
    ) {
        self.init(.read(Self.answered(body, answer)), 256, answer)
    }

    private init<Value>(
        _ work: Work, _ byteCount: Int, for person: String? = nil, _ answer: @escaping Answer<Value>
    ) {
        self.work = work
        self.person = person
        self.byteCount = byteCount
        fail = { answer(.failure($0)) }
    }

    private static func answered<Value: Sendable>(
        _ body: @escaping @Sendable (any SQLConnection) throws(StoreError) -> Value, _ answer: @escaping Answer<Value>
    ) -> Body {
        { (database) throws(StoreError) in
            let value = try body(database)
            return { answer(.success(value)) }
        }
    }
}

extension [StoreJob] {
    /// Locks the people of jobs, in one order on all nodes and before the transaction locks anything else. So whoever ends an account
    /// or sessions, and holds that lock alone, never waits for a transaction that waits for the lock.
    func lockPeople(in database: any SQLConnection) throws(StoreError) {
        var last: String?
        for person in compactMap(\.person).sorted() where last?.utf8.elementsEqual(person.utf8) != true {
            try database.lock(person, .shared)
            last = person
        }
    }
}
