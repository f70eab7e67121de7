import Foundation
import Rooms
import Testing

@testable import Store

@Suite("Moves", .timeLimit(.minutes(1)))
struct MoveTests {
    @Test("bring every row to a database of any kind and back", arguments: Backend.lasting, Backend.lasting)
    func all(from: Backend, to: Backend) async throws {
        let (first, second, third) = (try Scratch(), try Scratch(), try Scratch())
        let (source, target) = (try from.place(first), try to.place(second))
        try await EveryTable.fill(source)
        let counts = try StoreMove.run(from: source, to: target) { () throws(StoreError) in }
        #expect(counts.allSatisfy { $0.rows > 0 }, "\(counts)")
        #expect(counts.first { $0.table == "elements" }?.rows == 1_202)
        #expect(try StoreCheck.run(target).findings == [])
        // The new store goes on where the old one was.
        let store = try DatabaseStore(target, limits: .quick, now: { 1_000_000 })
        var log = SampleLog(seq: 1_205)
        #expect(try await store.appended([log.entry()]) == 1_206)
        try await store.made("new", by: "ann")
        let numbers = [
            try await told { store.number(of: "eva", then: $0) }, try await told { store.number(of: "dan", then: $0) },
        ]
        #expect(numbers == [1, 2])
        store.close()
        let back = try StoreMove.run(from: target, to: from.place(third)) { () throws(StoreError) in }
        #expect(back.first { $0.table == "rooms" }?.rows == 3)
        #expect(throws: StoreError.self) { try StoreMove.run(from: source, to: target) { () throws(StoreError) in } }
    }

    @Test("go on where they were interrupted, and no server starts before their end", arguments: Backend.lasting)
    func interrupted(to: Backend) async throws {
        let (first, second) = (try Scratch(), try Scratch())
        let (source, target) = (try Backend.file.place(first), try to.place(second))
        try await EveryTable.fill(source)
        for pages in [1, 3] {
            var left = pages
            #expect(throws: StoreError.closed) {
                try StoreMove.run(from: source, to: target) { () throws(StoreError) in
                    left -= 1
                    if left == 0 { throw .closed }
                }
            }
            #expect(throws: StoreError.self) { try DatabaseStore(target, limits: .quick) }
        }
        let other = try Backend.file.place(Scratch())
        #expect(throws: StoreError.self) { try StoreMove.run(from: other, to: target) { () throws(StoreError) in } }
        var pages = 0
        _ = try StoreMove.run(from: source, to: target) { () throws(StoreError) in pages += 1 }
        // Most pages were there already.
        #expect(pages < MovedTable.all.count)
        try DatabaseStore(target, limits: .quick).close()
    }

    @Test("that are refused take neither place from its server, and change nothing", arguments: Backend.lasting)
    func refused(from: Backend) async throws {
        let (first, second) = (try Scratch(), try Scratch())
        let (source, target) = (try from.place(first), try Backend.postgres.place(second))
        try DatabaseStore(source, limits: .quick).close()
        let store = try DatabaseStore(target, limits: .quick)
        defer { store.close() }
        var log = SampleLog()
        try await store.appended([log.entry()])
        let before = try owner(second)
        #expect(throws: StoreError.conflict("\(try target.driver(.quick).shown) is not empty.")) {
            try move(source, target)
        }
        #expect(try owner(second) == before)
        #expect(try await store.appended([log.entry()]) == 2)
        // The source of a move that is refused keeps its server, too.
        let other = try Backend.file.place(Scratch())
        let occupied = try DatabaseStore(other, limits: .quick)
        #expect(throws: StoreError.self) { try move(target, other) }
        occupied.close()
        #expect(try await store.appended([log.entry()]) == 3)
    }

    @Test("leave a database alone that nodes use, and so does a server without them")
    func nodes() async throws {
        let (scratch, other) = (try Scratch(), try Scratch())
        let (cluster, empty) = (try Backend.postgres.place(scratch), try Backend.postgres.place(other))
        try DatabaseStore(empty, limits: .quick).close()
        let store = try DatabaseStore(cluster, limits: .quick, node: 1)
        defer { store.close() }
        _ = try await told { store.write(then: $0, begin) }
        let refusal = StoreError.failed(try cluster.driver(.quick).shown, detail: "node 1 of a cluster uses it")
        #expect(throws: refusal) { try move(empty, cluster) }
        #expect(throws: refusal) { try move(cluster, empty) }
        #expect(throws: refusal) { try DatabaseStore(cluster, limits: .quick) }
        // A directory that a server has used is left as it was, too.
        let directory = try Backend.file.place(Scratch())
        try DatabaseStore(directory, limits: .quick).close()
        #expect(throws: refusal) { try move(cluster, directory) }
        try DatabaseStore(directory, limits: .quick).close()
        #expect(try owner(scratch) == PostgresDriver.cluster)
        _ = try await told {
            store.write(then: $0) { (database) throws(StoreError) in
                try HomeTable(database).end(ClusterNode(id: 1, boot: 1))
            }
        }
        store.close()
        _ = try move(cluster, Backend.file.place(Scratch()))
        try DatabaseStore(cluster, limits: .quick).close()
    }

    @Test("need a source that is there")
    func nothing() throws {
        let (first, second) = (try Scratch(), try Scratch())
        let missing = first.path + "/romos"
        #expect(throws: StoreError.self) { try move(.directory(missing), Backend.postgres.place(second)) }
        #expect(!FileManager.default.fileExists(atPath: missing))
        let blank = try Backend.postgres.place(Scratch())
        #expect(throws: StoreError.notAStore(try blank.driver(.quick).shown)) {
            try move(blank, Backend.postgres.place(second))
        }
        let reader = try PostgresConnection(PostgresServer.place(second.schema), .quick, isReader: true)
        #expect(try PostgresMigrations.version(reader) == 0)
    }

    @Test("that are under way keep the place when a server tries to start on it")
    func underWay() async throws {
        let (first, second) = (try Scratch(), try Scratch())
        let (source, target) = (try Backend.file.place(first), try Backend.postgres.place(second))
        try await EveryTable.fill(source)
        var attempts = 0
        _ = try StoreMove.run(from: source, to: target) { () throws(StoreError) in
            guard attempts < 2 else { return }
            attempts += 1
            #expect(throws: StoreError.self) {
                try DatabaseStore(target, limits: .quick, node: attempts == 1 ? 1 : nil)
            }
        }
        #expect(attempts == 2)
    }

    private func move(_ from: DatabaseStore.Place, _ to: DatabaseStore.Place) throws(StoreError) -> [StoreMove.Count] {
        try StoreMove.run(from: from, to: to) { () throws(StoreError) in }
    }

    @Test("wait for a node that was killed, and so does a server without nodes")
    func killedNodes() async throws {
        let scratch = try Scratch()
        let cluster = try Backend.postgres.place(scratch)
        let store = try DatabaseStore(cluster, limits: .quick, node: 1)
        _ = try await told {
            store.write(then: $0) { (database) throws(StoreError) in try begin(database, lease: 700) }
        }
        store.close()
        var patient = StoreLimits.quick
        patient.leaseMillisecondsMax = 60_000
        try DatabaseStore(cluster, limits: patient).close()
        #expect(try owner(scratch) != PostgresDriver.cluster)
        let database = try PostgresConnection(PostgresServer.place(scratch.schema), .quick, isReader: true)
        // Its lease has ended in the table: the next server does not wait.
        #expect(try database.first("SELECT lease_until FROM nodes") { $0.int(0) } == 0)
    }

    private func begin(_ database: any SQLConnection) throws(StoreError) -> ClusterNode? {
        try begin(database, lease: 60_000)
    }

    private func begin(_ database: any SQLConnection, lease: Int64) throws(StoreError) -> ClusterNode? {
        try HomeTable(database).begin(1, version: "1", links: 1...1, lease: lease)
    }

    /// The number of the server that has a database.
    private func owner(_ scratch: Scratch) throws -> Int64? {
        let database = try PostgresConnection(PostgresServer.place(scratch.schema), .quick, isReader: true)
        return try database.first("SELECT server FROM rooms_schema") { $0.int(0) }
    }

    @Test("know every table and every column")
    func tables() throws {
        let database = try SQLiteDriver(limits: .quick).openWriter()
        let names = try database.rows(
            """
            SELECT name FROM sqlite_schema WHERE type = 'table'
                AND name NOT IN ('probe', 'moves', 'starts', 'nodes', 'codes', 'allowances', 'secrets', 'sqlite_sequence')
            """
        ) { $0.text(0) }
        #expect(Set(MovedTable.all.map(\.name)) == Set(names))
        for table in MovedTable.all {
            let columns = try database.first(
                """
                SELECT count(*) FROM pragma_table_info($1)
                -- Homes belong to one database.
                WHERE name NOT IN ('home', 'home_boot', 'epoch', 'fence', 'node')
                """, .text(table.name)
            ) { $0.int(0) }
            #expect(columns == Int64(table.columns.count), "\(table.name)")
        }
    }
}
