import Foundation
import Rooms
import Testing

@testable import Store

@Suite("Backups", .timeLimit(.minutes(1)))
struct BackupTests {
    @Test("are whole and of one moment, also while the store is written to")
    func online() async throws {
        let scratch = try Scratch()
        let store = try DatabaseStore(.directory(scratch.path), limits: .quick)
        let writing = Task {
            var log = SampleLog()
            while !Task.isCancelled { try await store.appended([log.created("e\(log.seq)"), log.entry()]) }
            return log.seq
        }
        try await eventually("nothing is stored") { try await store.loaded() != nil }
        for number in 0..<5 {
            try await Task.sleep(for: .milliseconds(20))
            try StoreBackup.make(of: scratch.path, to: "\(scratch.path)/backup-\(number)")
        }
        writing.cancel()
        let last = try await writing.value
        store.close()
        var before: UInt64 = 0
        for number in 0..<5 {
            let target = try Scratch()
            try StoreBackup.restore("\(scratch.path)/backup-\(number)", to: target.path, replacing: false)
            #expect(try StoreCheck.run(.directory(target.path)).findings == [])
            let restored = try DatabaseStore(.directory(target.path), limits: .quick)
            let room = try await restored.loaded()
            let seq = try #require(room?.seq)
            #expect(seq >= before && seq <= last && seq % 2 == 0)
            #expect(room?.elements.count == Int(seq) / 2)
            before = seq
            restored.close()
        }
        #expect(before > 0)
        #expect(throws: StoreError.self) {
            try StoreBackup.make(of: scratch.path, to: "\(scratch.path)/backup-0")
        }
    }

    @Test("take the place of a database only when that is asked for, and leave it beside")
    func replace() async throws {
        let scratch = try Scratch()
        let backup = "\(scratch.path)/backup"
        var log = SampleLog()
        let store = try DatabaseStore(.directory(scratch.path), limits: .quick)
        try await store.appended([log.created("a")])
        try StoreBackup.make(of: scratch.path, to: backup)
        try await store.appended([log.created("b")])
        #expect(throws: StoreError.inUse(scratch.path, by: getpid())) {
            try StoreBackup.restore(backup, to: scratch.path, replacing: true)
        }
        store.close()
        #expect(throws: StoreError.self) { try StoreBackup.restore(backup, to: scratch.path, replacing: false) }
        // A log that was left behind must not be read with the new database.
        try Data(repeating: 7, count: 100_000).write(to: URL(fileURLWithPath: scratch.database + "-wal"))
        try StoreBackup.restore(backup, to: scratch.path, replacing: true)
        let restored = try DatabaseStore(.directory(scratch.path), limits: .quick)
        #expect(try await restored.loaded()?.elements.map(\.element.id) == ["a"])
        restored.close()
        let old = try SQLiteConnection(.file(scratch.database + ".replaced"), .write, lockMillisecondsMax: 0)
        #expect(try old.first("SELECT count(*) FROM elements") { $0.int(0) } == 2)
    }

    @Test("that are none are refused before anything is touched")
    func wrong() async throws {
        let scratch = try Scratch()
        let store = try DatabaseStore(.directory(scratch.path), limits: .quick)
        for index in 0..<100 {
            var log = SampleLog()
            try await store.appended([log.created("a")], to: "r\(index)")
        }
        store.close()
        let file = "\(scratch.path)/backup"
        try StoreBackup.make(of: scratch.path, to: file)
        var bytes = try Data(contentsOf: URL(fileURLWithPath: file))
        bytes.replaceSubrange(4_096..<bytes.count - 4_096, with: Data(repeating: 0x55, count: bytes.count - 8_192))
        let target = try Scratch()
        for content in [Data(), Data("hello".utf8), Data(bytes.prefix(5_000)), bytes] {
            try content.write(to: URL(fileURLWithPath: "\(scratch.path)/wrong"))
            #expect(throws: StoreError.self) {
                try StoreBackup.restore("\(scratch.path)/wrong", to: target.path, replacing: true)
            }
        }
        #expect(throws: StoreError.self) {
            try StoreBackup.restore("\(scratch.path)/missing", to: target.path, replacing: true)
        }
        #expect(throws: StoreError.self) { try StoreBackup.make(of: target.path, to: "\(target.path)/b") }
        #expect(try FileManager.default.contentsOfDirectory(atPath: target.path) == [])
    }
}

@Suite("The check of a data directory", .timeLimit(.minutes(1)))
struct CheckTests {
    /// Everything that a store can hold.
    static func fill(_ store: any ServerStore) async throws {
        try await store.people("ann", "bob")
        try await store.made("r", by: "ann", with: "bob")
        var log = SampleLog()
        try await store.appended([
            log.created("a", creation: "3:annx"), log.created("b", kind: .photo, media: ["m"]), log.entry(),
            log.updated("a", content: "new \\u00e9", version: 2), log.created("c"), log.deleted("c"),
        ])
        let push = Push(account: "bob", room: "r", type: "element_added", at: 60, dueAt: 60, json: Array("{}".utf8))
        let _: Int = try await told { store.enqueue([push], then: $0) }
    }

    @Test("finds nothing in what the store has written")
    func clean() async throws {
        let scratch = try Scratch()
        let store = try DatabaseStore(.directory(scratch.path), limits: .quick)
        try await Self.fill(store)
        // The same only to the eye: their journals are counted apart.
        for room in ["\u{e9}", "e\u{301}"] {
            var log = SampleLog()
            try await store.appended([log.entry()], to: room)
        }
        // Also while it is in use.
        #expect(try StoreCheck.run(.directory(scratch.path)).findings == [])
        store.close()
        let report = try StoreCheck.run(.directory(scratch.path))
        #expect(report.findings == [] && report.rooms == 3 && report.elements == 3 && report.entries == 8)
        #expect(throws: StoreError.self) { try StoreCheck.run(.directory("/no/such/place")) }
    }

    @Test(
        "finds what does not hold",
        arguments: [
            "UPDATE rooms SET seq = 9", "UPDATE rooms SET journal_count = 5", "UPDATE rooms SET journal_bytes = 5",
            "UPDATE rooms SET element_count = 3", "UPDATE rooms SET tombstone_count = 0",
            "UPDATE rooms SET journal_oldest_at = 2000000", "UPDATE rooms SET forgotten_seq = 10",
            "DELETE FROM journal WHERE seq = 3", "UPDATE journal SET json = '{' WHERE seq = 2",
            "UPDATE elements SET kind = 'pet' WHERE id = 'a'", "UPDATE elements SET width = 'wide' WHERE id = 'a'",
            "UPDATE elements SET width = NULL WHERE id = 'a'", "UPDATE elements SET content = '1' WHERE id = 'c'",
            "UPDATE elements SET version = 0 WHERE id = 'a'", "UPDATE elements SET seq = 99 WHERE id = 'a'",
            "UPDATE elements SET updated_by = NULL WHERE id = 'a'", "UPDATE elements SET created_by = 'ann'",
            "UPDATE accounts SET first_name = NULL WHERE id = 'ann'", "DELETE FROM accounts WHERE id = 'bob'",
            "UPDATE members SET place = 0", "UPDATE members SET left_at = 1", "INSERT INTO probe VALUES (NULL)",
            "UPDATE pushes SET done_at = 1, leased_until = 1", "UPDATE starts SET number = 1152921504606846976",
            "UPDATE rooms SET losses = -1", "UPDATE elements SET version = 9223372036854775807 WHERE id = 'a'",
            "UPDATE elements SET era = -9223372036854775807",
        ])
    func planted(sql: String) async throws {
        let scratch = try Scratch()
        let store = try DatabaseStore(.directory(scratch.path), limits: .quick)
        try await Self.fill(store)
        store.close()
        let database = try SQLiteConnection(.file(scratch.database), .write, lockMillisecondsMax: 0)
        try database.script("PRAGMA foreign_keys = OFF; \(sql)")
        #expect(database.changeCount > 0)
        #expect(try StoreCheck.run(.directory(scratch.path)).findings.count > 0)
    }
}

@Suite("Export and import of a room", .timeLimit(.minutes(1)))
struct ExportTests {
    private func export(_ room: String, of directory: String) throws -> [[UInt8]] {
        var lines: [[UInt8]] = []
        try RoomExport.run(room, of: directory) { lines.append($0) }
        return lines
    }

    private func load(_ lines: [[UInt8]], into directory: String) throws -> RoomImport.Report {
        var rest = lines[...]
        return try RoomImport.run(into: directory) { rest.popFirst() }
    }

    private func filled() async throws -> (Scratch, [[UInt8]]) {
        let scratch = try Scratch()
        let store = try DatabaseStore(.directory(scratch.path), limits: .quick)
        try await CheckTests.fill(store)
        let lines = try export("r", of: scratch.path)
        store.close()
        return (scratch, lines)
    }

    @Test("give the same room in another directory")
    func roundTrip() async throws {
        let (source, lines) = try await filled()
        let target = try Scratch()
        let report = try load(lines, into: target.path)
        #expect(report == RoomImport.Report(room: "r", elements: 2, accounts: 2))
        #expect(try StoreCheck.run(.directory(target.path)).findings == [])
        #expect(try export("r", of: target.path) == lines)
        let (one, other) = (
            try DatabaseStore(.directory(source.path), limits: .quick),
            try DatabaseStore(.directory(target.path), limits: .quick)
        )
        #expect(try await told { one.room("r", then: $0) } == told { other.room("r", then: $0) })
        let (first, second) = (try await one.loaded(), try await other.loaded())
        // Eras are those of each store.
        let elements = [first, second].map { room in
            room?.elements.map { stored in
                var element = stored.element
                element.era = 0
                return StoredElement(element: element, creation: stored.creation, seq: stored.seq)
            }
        }
        #expect(elements.first == elements.last && first?.seq == second?.seq)
        #expect(first?.rememberedCreations == second?.rememberedCreations)
        // It goes on from there.
        var log = SampleLog(seq: 6)
        #expect(try await other.appended([log.created("d")]) == 7)
        one.close()
        other.close()
    }

    @Test("keep existing users, by the subject of their tokens")
    func people() async throws {
        let (_, lines) = try await filled()
        let target = try Scratch()
        let store = try DatabaseStore(.directory(target.path), limits: .quick)
        let _: Account = try await told {
            store.signIn(sub: "sub-ann", email: "new@example.org", newID: "other", at: 1, then: $0)
        }
        let _: Account = try await told { store.signIn(sub: "s", email: "e", newID: "x", at: 1, then: $0) }
        let profile = Profile(username: "BOB", firstName: "B", dateOfBirth: 0)
        let _: Account = try await told { store.setProfile(profile, .new(file: nil), of: "x", at: 1, then: $0) }
        store.close()
        #expect(try load(lines, into: target.path).accounts == 1)
        #expect(try StoreCheck.run(.directory(target.path)).findings == [])
        let again = try DatabaseStore(.directory(target.path), limits: .quick)
        let room: RoomRecord? = try await told { again.room("r", then: $0) }
        #expect(room?.creator?.email == "new@example.org")
        #expect(room?.members.map(\.account.id) == ["other", "bob"])
        #expect(room?.members.last?.account.profile == nil)
        again.close()
    }

    @Test("refuse what is cut off, is there already, or is something else, and leave nothing")
    func wrong() async throws {
        let (source, lines) = try await filled()
        #expect(throws: StoreError.conflict("Room r is there already.")) { try load(lines, into: source.path) }
        let target = try Scratch()
        for count in 0..<lines.count {
            #expect(throws: StoreError.self) { try load(Array(lines.prefix(count)), into: target.path) }
        }
        for index in 0..<lines.count - 1 {
            var without = lines
            without.remove(at: index)
            #expect(throws: StoreError.self) { try load(without, into: target.path) }
        }
        for line in ["", "[]", "{", "{}", #"{"type":"pet"}"#, #"{"type":"room","format":1}"#, #"{"type":"end"}"#] {
            for index in lines.indices {
                var changed = lines
                changed[index] = Array(line.utf8)
                #expect(throws: StoreError.self) { try load(changed, into: target.path) }
            }
        }
        #expect(throws: StoreError.self) { try load(lines + [Array("{}".utf8)], into: target.path) }
        #expect(throws: StoreError.notFound("room")) { try export("r", of: target.path) }
        #expect(try load(lines, into: target.path).elements == 2)
        #expect(throws: StoreError.notFound("room")) { try export("s", of: target.path) }
    }
}
