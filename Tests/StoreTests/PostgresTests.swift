import Testing
import Threads

@testable import Store

/// What is special to PostgreSQL. The contracts are tested on it, too.
@Suite("PostgreSQL", .timeLimit(.minutes(1)))
struct PostgresTests {
    private func place() throws -> PostgresPlace { try PostgresServer.place(Scratch().schema) }

    private func seat(_ database: any SQLConnection) throws(StoreError) {
        try database.run(
            "INSERT INTO seats (pid, room, person, incarnation) VALUES ($1, $1, $1, $2)", .text("p"), .int(1))
    }

    @Test("A row that is refused is the fault of the request, and a name that another user has is said to be taken")
    func refusals() throws {
        let database = try PostgresDriver(place(), limits: .quick).openWriter()
        try seat(database)
        #expect { try seat(database) } throws: { ($0 as? StoreError)?.isOfStorage == false }
        let insert: StaticString = """
            INSERT INTO accounts (id, sub, email, username, created_at, updated_at) VALUES ($1, $1, $1, $2, 1, 1)
            """
        try database.run(insert, .text("a"), .text("Ann"))
        #expect(throws: StoreError.taken("username")) { try database.run(insert, .text("b"), .text("aNN")) }
        #expect(throws: StoreError.taken("user")) { try database.run(insert, .text("a"), .text("bob")) }
        let error = #expect(throws: StoreError.self) {
            try database.run("INSERT INTO probe VALUES ($1)", .json([0xff]))
        }
        #expect(error?.isOfStorage == false || error?.isPassing == true)
    }

    @Test("A transaction in which a statement has failed is not taken for stored")
    func failedCommit() throws {
        let database = try PostgresDriver(place(), limits: .quick).openWriter()
        try database.begin(.write)
        try seat(database)
        #expect(throws: StoreError.self) { try seat(database) }
        #expect(throws: StoreError.self) { try database.commit() }
        #expect(try database.first("SELECT count(*) FROM seats") { $0.int(0) } == 0)
    }

    @Test("Servers that start at the same time make the tables once")
    func startingTogether() throws {
        let place = try place()
        let outcomes = Monitor<[Bool]>([])
        let threads = (0..<4).map { _ in
            SystemThread {
                let isOpen = (try? PostgresDriver(place, limits: .quick).openWriter()) != nil
                outcomes.withLock { $0.append(isOpen) }
            }
        }
        for thread in threads { thread?.join() }
        #expect(outcomes.withLock { $0 } == [true, true, true, true])
    }

    @Test("The server that opened the database last may write, and an earlier one is told that another uses it")
    func twoServers() throws {
        let place = try place()
        let driver = PostgresDriver(place, limits: .quick)
        let one = try driver.openWriter()
        try one.transaction(.write) { () throws(StoreError) in try seat(one) }
        let other = try driver.openWriter()
        #expect(throws: StoreError.inUse(place.shown, by: nil)) {
            _ = try one.transaction { () throws(StoreError) in try one.run("DELETE FROM seats") }
        }
        #expect(throws: StoreError.inUse(place.shown, by: nil)) { try one.probe() }
        let changed = try other.transaction { () throws(StoreError) in
            try other.run("UPDATE seats SET incarnation = $1", .int(2))
        }
        #expect(changed == 1)
        #expect(try other.first("SELECT count(*) FROM seats WHERE incarnation = 2") { $0.int(0) } == 1)
    }

    @Test("A username has no two cases but in ASCII, whatever the database's language")
    func names() throws {
        #expect(SQLValue.name("IVAN.É_9") == .json(Array("ivan.É_9".utf8)))
    }

    @Test("The tables of another program, or of a newer server, are left as they are")
    func others() throws {
        let place = try place()
        let database = try PostgresConnection(place, .quick, isReader: false)
        try database.script("CREATE TABLE songs (name text)")
        #expect(throws: StoreError.notAStore(place.shown)) {
            try database.transaction { () throws(StoreError) in try PostgresMigrations.run(database) }
        }
        try database.script("DROP TABLE songs")
        try database.transaction { () throws(StoreError) in try PostgresMigrations.run(database) }
        try database.script("UPDATE rooms_schema SET version = 99")
        #expect(throws: StoreError.newer(place.shown, version: 99, known: Migrations.newest)) {
            try database.transaction { () throws(StoreError) in try PostgresMigrations.run(database) }
        }
    }

    @Test("A statement without an answer fails after a while, and the next transaction has a connection of its own")
    func silence() throws {
        var limits = StoreLimits.quick
        limits.statementMillisecondsMax = 3_000
        let database = try PostgresConnection(place(), limits, isReader: false)
        #expect(throws: StoreError.self) { try database.run("SELECT pg_sleep(20)") }
        #expect(try database.first("SELECT 1") { $0.int(0) } == 1)
    }

    @Test("A transaction that has lost its connection goes nowhere else")
    func lostAmid() throws {
        let place = try place()
        let database = try PostgresDriver(place, limits: .quick).openWriter()
        let other = try PostgresConnection(place, .quick, isReader: false)
        try database.begin(.write)
        try seat(database)
        let process = try database.first("SELECT pg_backend_pid()") { $0.int(0) }
        try other.run("SELECT pg_terminate_backend($1::int)", .int(try #require(process)))
        for _ in 0..<2 { #expect(throws: StoreError.self) { try seat(database) } }
        #expect(throws: StoreError.self) { try database.commit() }
        database.rollBack()
        #expect(try database.first("SELECT count(*) FROM seats") { $0.int(0) } == 0)
    }

    @Test("A place is shown without its password")
    func shown() throws {
        let place = try PostgresPlace("postgresql://ann:geheim@db.example.org:5433/rooms?sslmode=require")
        #expect(place.shown == "database rooms of PostgreSQL on db.example.org:5433")
        let wrong = [
            "", "rooms.db", "mysql://h/d", "postgresql://h:p/d?x=geheim", "postgresql://[geheim/d",
            "postgresql://ann:ge/heim@db/rooms", "postgresql://ann:1/geheim@db/rooms",
            "postgresql://ann:x@geheim@db/rooms",
            "postgresql://ann:geheim/rooms",
        ]
        for text in wrong {
            let fault = #expect(throws: PostgresPlace.Fault.self) { try PostgresPlace(text) }
            #expect(fault?.problem.contains("geheim") == false)
        }
    }

    @Test("When no server of a place answers, the error says of each one why")
    func everyServer() throws {
        let place = try PostgresPlace("postgresql://127.0.0.1:1,127.0.0.1:2/rooms")
        let error = #expect(throws: StoreError.self) { try PostgresConnection(place, .quick, isReader: false) }
        let said = error?.description ?? ""
        #expect(
            said.contains("port 1 failed: Connection refused; connection to server") && said.contains("port 2 failed: ")
        )
    }
}
