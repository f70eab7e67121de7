import Testing

@testable import Store

/// What the queries count on, whatever the database.
@Suite("A driver", .timeLimit(.minutes(1)))
struct DriverContractTests {
    private func withDriver(_ backend: Backend, _ body: (any SQLDriver) throws -> Void) throws {
        let scratch = try Scratch()
        let driver = try backend.driver(scratch)
        defer { driver.release() }
        try body(driver)
    }

    private func addSeat(_ pid: String, _ room: String = "r", on database: any SQLConnection) throws(StoreError) -> Int
    {
        try database.run(
            """
            INSERT INTO seats (pid, room, person, incarnation) VALUES ($1, $2, $1, $3) ON CONFLICT DO NOTHING
            """, .text(pid), .text(room), .int(7))
    }

    private func pids(_ database: any SQLConnection) throws(StoreError) -> [String] {
        try database.rows("SELECT pid FROM seats ORDER BY pid") { $0.text(0) }
    }

    @Test("takes parameters by their number, wherever the statement names them", arguments: Backend.allCases)
    func parameters(backend: Backend) throws {
        try withDriver(backend) { driver in
            let database = try driver.openWriter()
            try database.run(
                "INSERT INTO seats (incarnation, person, room, pid) VALUES ($4, $3, $2, $1)", .text("p"), .text("r"),
                .text("ann"), .int(7))
            let sql: StaticString = "SELECT person FROM seats WHERE room = $2 AND pid = $1 AND room = $2"
            #expect(try database.first(sql, .text("p"), .text("r")) { $0.text(0) } == "ann")
            // The statement is prepared, and the values before are forgotten.
            #expect(try database.first(sql, .text("r"), .text("p")) { $0.text(0) } == nil)
        }
    }

    @Test("tells how many rows were inserted, changed or deleted", arguments: Backend.allCases)
    func counts(backend: Backend) throws {
        try withDriver(backend) { driver in
            let database = try driver.openWriter()
            #expect(try addSeat("p", on: database) == 1)
            #expect(try addSeat("p", on: database) == 0)
            #expect(try addSeat("q", on: database) == 1)
            #expect(try database.run("UPDATE seats SET incarnation = $1", .int(8)) == 2)
            #expect(try database.run("DELETE FROM seats WHERE pid = $1", .text("x")) == 0)
            #expect(try database.run("DELETE FROM seats WHERE pid = $1", .text("p")) == 1)
        }
    }

    @Test("gives values back as they were bound", arguments: Backend.allCases)
    func values(backend: Backend) throws {
        try withDriver(backend) { driver in
            let database = try driver.openWriter()
            let texts = ["", "'; --", "é", "e\u{301}", "\u{10FFFF}", "\t\n", "\0", "a\0b", "\u{1}", "\u{1}\u{2}"]
            for (number, text) in texts.enumerated() {
                try database.run(
                    """
                    INSERT INTO accounts (id, sub, email, avatar_url, date_of_birth, created_at, updated_at)
                    VALUES ($1, $1, $2, $3, $4, $5, $6)
                    """, .text("a\(number)"), .text(text), .json(Array(text.utf8)), .null, .int(Int64.min),
                    .seq(UInt64.max))
            }
            try database.each(
                "SELECT email, avatar_url, date_of_birth, created_at, updated_at, username FROM accounts ORDER BY id",
                []
            ) { row throws(StoreError) in
                let text = row.text(0)
                #expect(texts.contains { $0.utf8.elementsEqual(text.utf8) })
                #expect(row.bytes(1) == Array(text.utf8) && row.byteCount(1) == text.utf8.count)
                #expect(row.optionalText(1) != nil && row.optionalInt(2) == nil && row.optionalText(5) == nil)
                #expect(row.int(3) == Int64.min && row.seq(4) == UInt64(Int64.max))
                #expect(row.bytes(5) == [] && row.byteCount(5) == 0)
            }
            try database.run(
                "INSERT INTO push_types (account, type, is_on) VALUES ($1, $2, $3), ($1, $4, $5)", .text("a0"),
                .text("x"), .bool(true), .text("y"), .bool(false))
            #expect(try database.rows("SELECT is_on FROM push_types ORDER BY type") { $0.bool(0) } == [true, false])
            #expect(
                try database.first("SELECT id IS NOT DISTINCT FROM $1 FROM accounts WHERE id = $1", .text("a0")) {
                    $0.bool(0)
                } == true)
            try database.run(
                """
                INSERT INTO media (key, owner, kind, mime, bytes, duration, created_at)
                VALUES ($1, $1, $1, $1, 1, $2, 1)
                """, .text("a0"), .real(0.1))
            #expect(try database.first("SELECT duration FROM media") { $0.optionalReal(0) } == 0.1)
        }
    }

    @Test("sorts texts by their bytes", arguments: Backend.allCases)
    func order(backend: Backend) throws {
        try withDriver(backend) { driver in
            let database = try driver.openWriter()
            let texts = [
                "", "\0", "\0\u{2}", "\u{1}", "\u{1}a", "\u{2}", "B", "_", "a", "ab", "é", "\u{FFFF}", "\u{10FFFF}",
            ]
            for text in texts.shuffled() { _ = try addSeat(text, on: database) }
            #expect(try pids(database).map { Array($0.utf8) } == texts.map { Array($0.utf8) })
        }
    }

    @Test("undoes a transaction that fails, and what comes after a savepoint", arguments: Backend.allCases)
    func undoing(backend: Backend) throws {
        try withDriver(backend) { driver in
            let database = try driver.openWriter()
            #expect(throws: StoreError.badCursor) {
                try database.transaction { () throws(StoreError) in
                    _ = try addSeat("p", on: database)
                    throw .badCursor
                }
            }
            #expect(try pids(database) == [])
            try database.transaction { () throws(StoreError) in
                _ = try addSeat("q", on: database)
                try database.run("SAVEPOINT job")
                _ = try addSeat("r", on: database)
                // Refused by the database itself.
                #expect(throws: StoreError.self) {
                    try database.run("UPDATE seats SET person = $1", .null)
                }
                try database.run("ROLLBACK TO SAVEPOINT job")
                try database.run("RELEASE SAVEPOINT job")
                _ = try addSeat("s", on: database)
            }
            #expect(try pids(database) == ["q", "s"])
            // Nothing is left to undo.
            database.rollBack()
            #expect(try pids(database) == ["q", "s"])
        }
    }

    @Test("gives a row that is not the last, and executes the statement anew", arguments: Backend.allCases)
    func stopping(backend: Backend) throws {
        try withDriver(backend) { driver in
            let database = try driver.openWriter()
            for pid in ["p", "q"] { _ = try addSeat(pid, on: database) }
            let sql: StaticString = "SELECT pid FROM seats ORDER BY pid"
            for _ in 0..<2 { #expect(try database.first(sql) { $0.text(0) } == "p") }
            #expect(throws: StoreError.badCursor) {
                try database.each(sql, []) { _ throws(StoreError) in throw .badCursor }
            }
            #expect(try database.rows(sql) { $0.text(0) } == ["p", "q"])
        }
    }

    @Test("reads of one moment, beside a writer", arguments: Backend.lasting)
    func snapshot(backend: Backend) throws {
        try withDriver(backend) { driver in
            let writer = try driver.openWriter()
            let reader = try #require(try driver.openReaders().first)
            _ = try addSeat("p", on: writer)
            try reader.begin(.read)
            #expect(try pids(reader) == ["p"])
            _ = try addSeat("q", on: writer)
            #expect(try pids(reader) == ["p"])
            try reader.commit()
            #expect(try pids(reader) == ["p", "q"])
            #expect(throws: StoreError.readOnly(driver.shown)) { try addSeat("r", on: reader) }
        }
    }
}
