import Foundation
import Rooms
import Testing

@testable import Store

/// What every store promises of the export of a person's data.
@Suite("Exports of a person's data", .timeLimit(.minutes(1)))
struct ExportContractTests {
    @Test("show every table, or say why not")
    func tables() throws {
        let scratch = try Scratch()
        try DatabaseStore(.directory(scratch.path)).close()
        let database = try SQLiteConnection(.file(scratch.database), .read, lockMillisecondsMax: 0)
        let tables = try database.rows(
            "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%'"
        ) { $0.text(0) }
        let exported = Set(ExportedTable.all.flatMap(\.tables))
        #expect(exported.union(ExportedTable.left.keys) == Set(tables))
        #expect(exported.intersection(ExportedTable.left.keys).isEmpty)
        #expect(Set(ExportedTable.all.map(\.name)).count == ExportedTable.all.count)
    }

    private func whole(of person: String, in store: any ServerStore) async throws -> [String: [[String: Any]]] {
        var (cursor, parts): (String?, Int) = (nil, 0)
        var all: [String: [[String: Any]]] = [:]
        repeat {
            let after = cursor
            let part: ExportPart = try await told {
                store.export(of: person, after: after, files: "https://rooms.example/media/", then: $0)
            }
            let lists = try JSONSerialization.jsonObject(with: Data(part.json)) as? [String: [[String: Any]]]
            for (name, rows) in try #require(lists) { all[name, default: []] += rows }
            cursor = part.next
            parts += 1
        } while cursor != nil && parts < 200
        return all
    }

    @Test("have what is the person's and nothing else", arguments: Backend.allCases)
    func own(backend: Backend) async throws {
        try await withStore(backend) { store in
            for id in ["ann", "bob"] {
                let person = NewPerson(id: id, name: id, email: "\(id)@example.org", passwordHash: "secret", at: 10)
                let _: AccountHolder = try await told { store.addPerson(person, then: $0) }
                let session = NewSession(
                    id: "session of \(id)", person: id, app: "rooms", agent: "a", at: 10, endsAt: 2_000_000_000,
                    refresh: RefreshSecret(key: "secret", hash: "secret", network: "n", rotatedAt: 10))
                _ = try await told { store.beginSession(session, then: $0) }
                let wallet = Wallet(id: "w\(id)", person: id, address: "0x\(id)", kind: "m", createdAt: 10, usedAt: 10)
                let _: Wallet = try await told { store.connectWallet(wallet, showing: nil, then: $0) }
                let profile = AppProfile(
                    id: "p\(id)", person: id, username: id, displayName: id, createdAt: 1, updatedAt: 1)
                _ = try await told { store.addProfile(profile, by: nil, then: $0) }
                try await told { store.setDevice("d\(id)", of: id, session: nil, at: 5, then: $0) }
                let media = MediaRecord(
                    key: "k\(id)", owner: id, kind: "photo", mime: "image/png", byteCount: 9, width: 1, height: nil,
                    duration: nil, createdAt: 10)
                try await told { store.addMedia(media, then: $0) }
            }
            for (number, sender) in ["bob", "ann", nil].enumerated() {
                let message = Message(
                    id: "m\(number)", person: number == 1 ? "bob" : "ann", sender: sender, kind: .info, content: "c",
                    createdAt: 10)
                let _: Message = try await told { store.addMessage(message, then: $0) }
            }
            try await store.made("r", by: "ann", with: "bob")
            var log = SampleLog()
            try await store.appended([log.created("e1")])
            let all = try await whole(of: "ann", in: store)
            let ids = all.mapValues { $0.compactMap { $0["id"] as? String ?? $0["url"] as? String }.sorted() }
            #expect(ids["account"] == ["ann"] && ids["user"] == ["ann"] && ids["sessions"] == ["session of ann"])
            #expect(ids["wallets"] == ["wann"] && ids["profiles"] == ["pann"] && ids["devices"] == ["dann"])
            #expect(ids["uploads"] == ["https://rooms.example/media/kann"] && ids["rooms"] == ["r"])
            #expect(ids["messages"] == ["m0", "m2"] && ids["sentMessages"] == ["m1"] && ids["elements"] == ["e1"])
            #expect(try await whole(of: "bob", in: store)["elements"] == nil)
            #expect(all["profiles"]?.first?["isDefault"] as? Bool == true)
            #expect(!"\(all)".contains("secret"))
            #expect(try await whole(of: "nobody", in: store).isEmpty)
        }
    }

    @Test("come in parts that leave nothing out", arguments: Backend.allCases)
    func parts(backend: Backend) async throws {
        try await withStore(backend) { store in
            let person = NewPerson(id: "ann", name: "Ann", email: "", passwordHash: nil, at: 10)
            let _: AccountHolder = try await told { store.addPerson(person, then: $0) }
            for number in 0..<1_100 {
                let mood = Mood(
                    id: "mood \(number)", person: "ann", scale: 1, note: nil, feltAt: 1, createdAt: 1, updatedAt: 1)
                _ = try await told { store.addMood(mood, comparesTime: false, by: nil, then: $0) }
            }
            let first: ExportPart = try await told { store.export(of: "ann", after: nil, files: "", then: $0) }
            #expect(first.next?.hasPrefix("moods.") == true)
            let moods = try await whole(of: "ann", in: store)["moods"] ?? []
            #expect(moods.count == 1_100 && Set(moods.compactMap { $0["id"] as? String }).count == 1_100)
        }
    }

    @Test(
        "refuse what is no place in them",
        arguments: ["", "x", "moods.6", "moods.zz", "moods.61.61", "messages.1", "rooms.x"])
    func wrong(cursor: String) async throws {
        try await withStore(.memory) { store in
            await #expect(throws: StoreError.badCursor) {
                let _: ExportPart = try await told { store.export(of: "ann", after: cursor, files: "", then: $0) }
            }
        }
    }
}
