import CFaultyDisk
import Foundation
import Testing

@testable import Store

@Suite("Migrations", .timeLimit(.minutes(1)))
struct MigrationTests {
    /// Makes the database of a fixture.
    private func fixture(_ version: Int, _ scratch: Scratch) throws {
        let file = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
            .appendingPathComponent("Fixtures/version-\(version).sql")
        let database = try SQLiteConnection(.file(scratch.database), .create, lockMillisecondsMax: 0)
        try database.script("PRAGMA journal_mode = WAL")
        try database.script(try String(contentsOf: file, encoding: .utf8))
    }

    private func schema(_ path: String) throws -> [String] {
        let database = try SQLiteConnection(.file(path), .read, lockMillisecondsMax: 0)
        return try database.rows("SELECT name, sql FROM sqlite_schema ORDER BY name") { "\($0.text(0)): \($0.text(1))" }
    }

    @Test("bring an old database to the newest version with all that is in it", arguments: 1..<Migrations.newest)
    func forward(version: Int) async throws {
        let scratch = try Scratch()
        try fixture(version, scratch)
        let store = try DatabaseStore(.directory(scratch.path), limits: .quick, now: { 200 })
        let room = try #require(try await store.loaded())
        #expect(room.seq == 4 && room.name == "Kitchen" && room.entries.map(\.seq) == [3, 4])
        #expect(room.elements.map(\.element.id) == ["e1"] && room.elements.first?.creation == "2:u1c")
        let record: RoomRecord? = try await told { store.room("r", then: $0) }
        #expect(record?.members.map(\.account.id) == ["u1", "u2"] && record?.members.last?.leftAt == 150)
        #expect(record?.creator?.profile?.username == "ann")
        var log = SampleLog(seq: 4, at: 300)
        #expect(try await store.appended([log.created("e3")]) == 5)
        try await told { store.setDevice("d", of: "u1", session: nil, at: 1, then: $0) }
        store.close()
        #expect(try StoreCheck.run(.directory(scratch.path)).findings == [])
        let fresh = try Scratch()
        try DatabaseStore(.directory(fresh.path)).close()
        #expect(try schema(scratch.database) == schema(fresh.database))
        // Once is enough.
        try DatabaseStore(.directory(scratch.path)).close()
    }

    @Test("refuse the database of a newer server and leave it as it is")
    func newer() throws {
        let scratch = try Scratch()
        try DatabaseStore(.directory(scratch.path)).close()
        do {
            let database = try SQLiteConnection(.file(scratch.database), .write, lockMillisecondsMax: 0)
            try database.script("PRAGMA journal_mode = DELETE; PRAGMA user_version = 99")
        }
        let before = try Data(contentsOf: URL(fileURLWithPath: scratch.database))
        let error = StoreError.newer(scratch.database, version: 99, known: Migrations.newest)
        #expect(throws: error) { try DatabaseStore(.directory(scratch.path)) }
        #expect(throws: error) { try StoreCheck.run(.directory(scratch.path)) }
        #expect(error.description.contains("version 99") && error.description.contains(scratch.database))
        #expect(try Data(contentsOf: URL(fileURLWithPath: scratch.database)) == before)
    }

    @Test("that fail leave the version that was there")
    func failing() throws {
        let scratch = try Scratch()
        try fixture(1, scratch)
        faulty_disk_refuse_writes(scratch.path, ENOSPC)
        #expect(throws: StoreError.diskFull(scratch.database)) { try DatabaseStore(.directory(scratch.path)) }
        faulty_disk_refuse_writes(scratch.path, 0)
        do {
            let database = try SQLiteConnection(.file(scratch.database), .write, lockMillisecondsMax: 0)
            #expect(try Migrations.version(database) == 1)
        }
        try DatabaseStore(.directory(scratch.path)).close()
        #expect(try StoreCheck.run(.directory(scratch.path)).version == Migrations.newest)
    }
}
