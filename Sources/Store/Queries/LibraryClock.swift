/// Gives changes of the library their numbers and times.
///
/// Whoever changes something locks the one row first, and keeps the lock until the change is stored. So a reader who sees a
/// change sees all earlier ones, on all nodes and whatever their clocks say.
struct LibraryClock {
    /// Changes of one time. Past it the time runs ahead, so that a reader who only knows times gets on page by page.
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

    /// Whether there are changes of a time that is over, to which no other is to be added.
    func isOpen() throws(StoreError) -> Bool {
        try database.first("SELECT 1 FROM library_clock WHERE used > 0 AND at < $1", .int(now)) { _ in true } ?? false
    }

    /// Later changes have a later time than those that are there.
    func close() throws(StoreError) {
        try database.run("UPDATE library_clock SET at = $1, used = 0 WHERE used > 0 AND at < $1", .int(now))
    }

    /// Deletions of this time and later are remembered.
    func forgottenAt() throws(StoreError) -> Int64 {
        try database.first("SELECT forgotten_at FROM library_clock") { $0.int(0) } ?? 0
    }
}
