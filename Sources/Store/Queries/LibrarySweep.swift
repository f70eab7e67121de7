/// Removes what is old from the library, in a transaction of its own, because it locks the library's clock.
struct LibrarySweep {
    private static let rowsPerTransaction = 256

    let database: any SQLConnection
    let limits: StoreLimits
    let now: Int64

    /// - Returns: whether there is nothing more to do for now.
    func run() throws(StoreError) -> Bool {
        let time = now - limits.libraryTombstoneSecondsMax
        let isNeeded = try database.first(
            """
            SELECT 1 WHERE EXISTS (SELECT 1 FROM library WHERE deleted_at IS NOT NULL AND deleted_at < $1)
                OR EXISTS (SELECT 1 FROM leftovers)
            """, .int(time)
        ) { _ in true }
        guard isNeeded != nil else { return true }
        return try database.transaction { () throws(StoreError) in
            let writing = LibraryWriting(database, limits, notifies: false, now: now)
            try writing.clock.lock()
            // Each does its part, whatever the other has left to do.
            let areDone = [try forgetDeletions(before: time), try removeLeftovers(writing)]
            return areDone.allSatisfy { $0 }
        }
    }

    private func forgetDeletions(before time: Int64) throws(StoreError) -> Bool {
        let found = try database.rows(
            "SELECT id, changed_at FROM library WHERE deleted_at < $1 ORDER BY deleted_at LIMIT $2", .int(time),
            .int(Self.rowsPerTransaction)
        ) { (id: $0.text(0), at: $0.int(1)) }
        guard let newest = found.map(\.at).max() else { return true }
        for row in found { try database.run("DELETE FROM library WHERE id = $1", .text(row.id)) }
        try database.run(
            "UPDATE library_clock SET forgotten_at = $1 WHERE forgotten_at < $1", .int(newest + 1))
        return found.count < Self.rowsPerTransaction
    }

    /// What people have left whose accounts have ended. Others learn that it is gone.
    private func removeLeftovers(_ writing: LibraryWriting) throws(StoreError) -> Bool {
        guard let person = try database.first("SELECT person FROM leftovers LIMIT 1", read: { $0.text(0) }) else {
            return true
        }
        let items = try database.rows(
            "SELECT id FROM library WHERE owner = $1 AND deleted_at IS NULL LIMIT $2", .text(person),
            .int(Self.rowsPerTransaction)
        ) { $0.text(0) }
        for item in items { try writing.bury(item) }
        let statements: [StaticString] = [
            """
            DELETE FROM likes WHERE person = $1 AND item IN (SELECT item FROM likes WHERE person = $1 LIMIT $2)
            """,
            """
            DELETE FROM follows WHERE follower = $1
                AND followed IN (SELECT followed FROM follows WHERE follower = $1 LIMIT $2)
            """,
            """
            DELETE FROM follows WHERE followed = $1
                AND follower IN (SELECT follower FROM follows WHERE followed = $1 LIMIT $2)
            """,
        ]
        var isDone = items.count < Self.rowsPerTransaction
        for statement in statements {
            let count = try database.run(statement, .text(person), .int(Self.rowsPerTransaction))
            if count == Self.rowsPerTransaction { isDone = false }
        }
        return isDone
    }

    /// Whether the library has anything left of a person.
    static func hasAnything(of person: String, _ database: any SQLConnection) throws(StoreError) -> Bool {
        try database.first(
            """
            SELECT 1 WHERE EXISTS (SELECT 1 FROM library WHERE owner = $1 AND deleted_at IS NULL)
                OR EXISTS (SELECT 1 FROM likes WHERE person = $1)
                OR EXISTS (SELECT 1 FROM follows WHERE follower = $1 OR followed = $1)
            """, .text(person)
        ) { _ in true } ?? false
    }
}
