/// Gives changes of the library their numbers and times.
///
/// A change locks the one row first, and keeps the lock until it is stored. So a reader that sees a change also sees all
/// earlier ones, on all nodes, independent of their clocks.
struct LibraryClock {
    /// Changes of one time. Past it the time runs ahead, so that a reader that only has times makes progress with each page.
    static let changesPerSecondMax = 500

    let database: any SQLConnection
    let now: Int64

    init(_ database: any SQLConnection, now: Int64) {
        self.database = database
        self.now = now
    }

    /// Keeps others from changing the library until the end of the transaction.
    func lock() throws(StoreError) {
        try database.run(
            """
            INSERT INTO library_clock (id, number, at, used, forgotten_at) VALUES ('library', 0, 0, 0, 0)
            ON CONFLICT (id) DO UPDATE SET number = library_clock.number
            """)
    }

    /// The mark of a new change.
    func next() throws(StoreError) -> LibraryMark {
        try database.run(
            """
            UPDATE library_clock SET number = number + 1,
                at = CASE WHEN $1 > at THEN $1 WHEN used >= $2 THEN at + 1 ELSE at END,
                used = CASE WHEN $1 > at OR used >= $2 THEN 1 ELSE used + 1 END
            """, .int(now), .int(Self.changesPerSecondMax))
        return try end() ?? LibraryMark(at: now, number: 0)
    }

    /// The mark of the newest change; nil before the first.
    func end() throws(StoreError) -> LibraryMark? {
        try database.first("SELECT at, number FROM library_clock") { LibraryMark(at: $0.int(0), number: $0.int(1)) }
    }

    /// Whether the newest changes have a time that is over and not closed.
    func isOpen() throws(StoreError) -> Bool {
        try database.first("SELECT 1 FROM library_clock WHERE used > 0 AND at < $1", .int(now)) { _ in true } ?? false
    }

    /// Closes that time: later changes have a later one.
    func close() throws(StoreError) {
        try database.run("UPDATE library_clock SET at = $1, used = 0 WHERE used > 0 AND at < $1", .int(now))
    }

    /// Deletions of this time and later are remembered.
    func forgottenAt() throws(StoreError) -> Int64 {
        try database.first("SELECT forgotten_at FROM library_clock") { $0.int(0) } ?? 0
    }
}
