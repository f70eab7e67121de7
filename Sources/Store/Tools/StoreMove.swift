import Threads

/// Copies a store to another place, of the same or another kind of database. No server may use either. A move that is
/// refused leaves both as they were, with the servers that use them.
///
/// A move that was interrupted goes on where it was when it is repeated. At the end every row of both is compared. Until
/// then no server starts on the target.
package struct StoreMove {
    package struct Count: Sendable, Equatable {
        package let table: String
        package let rows: Int
    }

    private static let pageRows = 500

    private let source: any SQLConnection
    private let target: any SQLConnection

    /// - Parameter pause: called after each page; it may end the move by throwing.
    package static func run(
        from: DatabaseStore.Place, to: DatabaseStore.Place, pause: () throws(StoreError) -> Void
    ) throws(StoreError) -> [Count] {
        guard from != to else { throw .conflict("The two places are the same.") }
        // Opening it would make it.
        let (found, version) = try from.openReader()
        guard version > 0 else { throw .notAStore(found.shown) }
        let drivers = (try from.driver(StoreLimits()), try to.driver(StoreLimits()))
        defer {
            drivers.0.release()
            drivers.1.release()
        }
        var source: (any SQLConnection)?
        // The target is taken only once the source is, and the source only once the target may be.
        let target = try drivers.1.openWriter(isShared: false) { target throws(StoreError) in
            try begin(target, from: drivers.0.shown)
            source = try drivers.0.openWriter(isShared: false) { source throws(StoreError) in
                guard let other = try unfinished(source) else { return }
                throw .conflict("A move of \(other) to \(source.shown) is not finished, so it cannot be moved itself.")
            }
        }
        guard let source else { preconditionFailure("the target was opened without a check") }
        return try StoreMove(source: source, target: target).run(pause)
    }

    private func run(_ pause: () throws(StoreError) -> Void) throws(StoreError) -> [Count] {
        for table in MovedTable.all { try copy(table, pause) }
        try target.adoptKeys()
        try adoptStarts()
        let counts = try compare()
        try target.run("UPDATE moves SET done_at = $1 WHERE done_at IS NULL", .int(Clock.unixSeconds()))
        target.finish()
        return counts
    }

    /// The source of a move to this store that is not finished.
    static func unfinished(_ database: any SQLConnection) throws(StoreError) -> String? {
        try database.first("SELECT source FROM moves WHERE done_at IS NULL") { $0.text(0) }
    }

    /// Notes the move in the target, which has to be empty unless the same move has begun there before.
    private static func begin(_ target: any SQLConnection, from source: String) throws(StoreError) {
        if let other = try unfinished(target) {
            guard other == source else {
                throw .conflict(
                    "A move of \(other) to \(target.shown) is not finished. Repeat that one, or empty the target.")
            }
            return
        }
        for table in MovedTable.all where try target.first(table.last, read: { _ in true }) != nil {
            throw .conflict("\(target.shown) is not empty.")
        }
        try target.run(
            "INSERT INTO moves (source, begun_at) VALUES ($1, $2)", .text(source), .int(Clock.unixSeconds()))
    }

    private func copy(_ table: MovedTable, _ pause: () throws(StoreError) -> Void) throws(StoreError) {
        var after = try target.first(table.last) { table.key($0) } ?? table.start
        while true {
            let rows = try page(table, of: source, after: after)
            guard let last = rows.last else { return }
            try target.transaction { () throws(StoreError) in
                for row in rows { _ = try target.execute(table.insert, row) { _ throws(StoreError) in true } }
            }
            after = Array(last.prefix(table.keyCount))
            try pause()
        }
    }

    /// No era of a room comes twice.
    private func adoptStarts() throws(StoreError) {
        guard let number = try source.first("SELECT number FROM starts", read: { $0.int(0) }) else { return }
        try target.run(
            """
            INSERT INTO starts (id, number) VALUES ('store', $1)
            ON CONFLICT (id) DO UPDATE SET number = CASE WHEN starts.number < $1 THEN $1 ELSE starts.number END
            """, .int(number))
    }

    private func page(
        _ table: MovedTable, of database: any SQLConnection, after key: [SQLValue]
    ) throws(StoreError) -> [[SQLValue]] {
        var rows: [[SQLValue]] = []
        try database.each(table.select, key + [.int(Self.pageRows)]) { row throws(StoreError) in
            rows.append(table.values(row))
        }
        return rows
    }

    /// Compares every row of both.
    private func compare() throws(StoreError) -> [Count] {
        var counts: [Count] = []
        for table in MovedTable.all {
            var (after, count) = (table.start, 0)
            while true {
                let rows = try page(table, of: source, after: after)
                guard try page(table, of: target, after: after) == rows else {
                    throw .conflict(
                        "The table \(table.name) of the two stores differs: one was used meanwhile. Empty the target and repeat."
                    )
                }
                count += rows.count
                guard let last = rows.last else { break }
                after = Array(last.prefix(table.keyCount))
            }
            counts.append(Count(table: table.name, rows: count))
        }
        return counts
    }
}
