import Foundation
import Testing

@testable import Store

/// What the end of an account and of a session leaves in a store, and what it lets in afterwards.
@Suite("Accounts that have ended", .timeLimit(.minutes(1)))
struct EndedAccountTests {
    private func add(_ name: String, to store: any ServerStore) async throws {
        let person = NewPerson(id: name, name: name, email: "\(name)@example.org", passwordHash: nil, at: 10)
        let _: AccountHolder = try await told { store.addPerson(person, then: $0) }
    }

    private func begin(_ id: String, of person: String, in store: any ServerStore) async throws {
        let session = NewSession(id: id, person: person, app: "rooms", agent: "", at: 10, endsAt: 99, refresh: nil)
        _ = try await told { store.beginSession(session, then: $0) }
    }

    // MARK: Writes for a session

    /// Each in one of the ways in which the store writes.
    private static let writes: [@Sendable (any ServerStore) async throws -> Void] = [
        { store in
            let mood = Mood(id: "m", person: "ann", scale: 1, note: nil, feltAt: 1, createdAt: 1, updatedAt: 1)
            _ = try await told { store.addMood(mood, comparesTime: false, by: "s", then: $0) }
        },
        { store in try await told { store.changeSettings(Array(#"{"a":1}"#.utf8), of: "ann", then: $0) } },
    ]

    @Test("take no writes for a session that is over", arguments: Backend.allCases, [false, true])
    func mandates(backend: Backend, endsAccount: Bool) async throws {
        try await withStore(backend) { store in
            try await add("ann", to: store)
            for session in ["s", "t"] { try await begin(session, of: "ann", in: store) }
            func write(for session: String) async throws {
                try await Mandate.$current.withValue(Mandate(person: "ann", session: session)) {
                    for write in Self.writes { try await write(store) }
                }
            }
            try await write(for: "s")
            if endsAccount {
                let ended: EndedPerson = try await told { store.removePerson("ann", at: 20, then: $0) }
                #expect(ended.sessions.sorted() == ["s", "t"])
            } else {
                #expect(try await told { store.endSession("s", of: "ann", then: $0) })
                try await write(for: "t")
            }
            for write in Self.writes {
                await #expect(throws: StoreError.ended) {
                    try await Mandate.$current.withValue(Mandate(person: "ann", session: "s")) {
                        try await write(store)
                    }
                }
            }
            // The session of somebody else is none.
            try await add("bob", to: store)
            try await begin("u", of: "bob", in: store)
            await #expect(throws: StoreError.ended) {
                try await Mandate.$current.withValue(Mandate(person: "ann", session: "u")) {
                    try await Self.writes[0](store)
                }
            }
        }
    }

    @Test("end only after a write for one of their sessions")
    func order() async throws {
        try await NodeBeside.with { store, other, watcher in
            try await add("ann", to: store)
            try await begin("s", of: "ann", in: store)
            try other.begin(.write)
            try other.lock("ann", .shared)
            #expect(try other.holds(Mandate(person: "ann", session: "s")))
            let removal = Task { () -> EndedPerson in
                try await told { store.removePerson("ann", at: 20, then: $0) }
            }
            try await NodeBeside.waits(watcher)
            // Another of the group of the one that waits is not kept waiting by it, nor by what it waits for.
            try other.lock("ann", .shared)
            try other.run("INSERT INTO settings (person, json) VALUES ('ann', '{}')")
            try other.commit()
            #expect(try await removal.value.sessions == ["s"])
            #expect(try watcher.first("SELECT count(*) FROM settings") { $0.int(0) } == 0)
            #expect(try !other.holds(Mandate(person: "ann", session: "s")))
        }
    }

    @Test("are waited for by what would be written for a session, which is refused then")
    func reverse() async throws {
        try await NodeBeside.with { store, other, watcher in
            try await add("ann", to: store)
            for session in ["s", "t"] { try await begin(session, of: "ann", in: store) }
            try other.begin(.write)
            try other.lock("ann", .whole)
            try other.run("DELETE FROM sessions WHERE id = 's'")
            let writes = ["s", "t"].map { session in
                Task {
                    try await Mandate.$current.withValue(Mandate(person: "ann", session: session)) {
                        try await Self.writes[0](store)
                    }
                }
            }
            try await NodeBeside.waits(watcher)
            try other.commit()
            await #expect(throws: StoreError.ended) { try await writes[0].value }
            try await writes[1].value
        }
    }

    // MARK: Writes about a person

    @Test("are not found by writes about them", arguments: Backend.allCases)
    func subjects(backend: Backend) async throws {
        try await withStore(backend) { store in
            for name in ["ann", "bob"] { try await add(name, to: store) }
            try await store.made("r", by: "bob")
            let _: EndedPerson = try await told { store.removePerson("ann", at: 20, then: $0) }
            func isRefused(_ write: () async throws -> Void) async {
                await #expect(throws: StoreError.notFound("user")) { try await write() }
            }
            let profile = Profile(username: "ann", firstName: "Ann", dateOfBirth: 0)
            await isRefused {
                let _: Account = try await told {
                    store.setProfile(profile, .new(file: nil), of: "ann", at: 21, then: $0)
                }
            }
            await isRefused {
                let _: Account = try await told { store.signIn(sub: "ann", email: "", newID: "ann", at: 21, then: $0) }
            }
            await isRefused {
                let _: Account = try await told { store.signIn(sub: "ann", email: "x", newID: "ann", at: 21, then: $0) }
            }
            await isRefused { try await begin("s", of: "ann", in: store) }
            await isRefused { let _: RoomRecord = try await told { store.addMember("ann", to: "r", at: 21, then: $0) } }
            await isRefused { try await store.made("q", by: "bob", with: "ann") }
            await isRefused { try await store.made("q", by: "ann") }
            await isRefused { try await told { store.setDevice("d", of: "ann", session: nil, at: 21, then: $0) } }
            await isRefused { try await told { store.setPushPreferences(PushPreferences(), of: "ann", then: $0) } }
            let file = MediaRecord(key: "k", owner: "ann", kind: "photo", mime: "m", byteCount: 9, createdAt: 1)
            await isRefused { try await told { store.addMedia(file, then: $0) } }
            let message = Message(id: "m", person: "ann", sender: "bob", kind: .info, content: "c", createdAt: 21)
            await isRefused { let _: Message = try await told { store.addMessage(message, then: $0) } }
            let found = try await told {
                store.searchAccounts(usernamePrefix: "a", excluding: "bob", PageRequest(limit: 9), then: $0)
            }
            #expect(found.items.isEmpty)
            // A home may say only now that the person has come.
            store.sit(Seat(pid: "p", person: "ann", room: "r", incarnation: 7))
            store.lose("p")
            #expect(try await told { store.seats(of: "p", within: 60, then: $0) } == [])
        }
    }

    // MARK: What stays

    /// Where the id of a person may be found when its account has ended, each with the reason.
    private static let kept = [
        "accounts.id": "what is in rooms refers to it", "accounts.sub": "the same",
        "rooms.created_by": "what is in rooms", "members.account": "who was in a room, with the time of the end",
        "elements.created_by": "what is in rooms", "elements.updated_by": "what is in rooms",
        "present.person": "until the room's home says that the person has left",
        "media.owner": "a file that a room shows", "pushes.json": "what others are told, until it is sent",
        "messages.sender": "what others have got",
        "uploads.account": "until the sweep of files has removed what has come",
        "library.owner": "deletions that phones have to hear of",
        "bans.subject": "a ban holds until its end", "audit.subject": "what operators did",
    ]

    /// Columns that are about people by their names.
    private static let names: Set<String> = [
        "person", "account", "owner", "sender", "starter", "maker", "follower", "followed", "created_by", "updated_by",
    ]

    @Test("leave nothing of the person in any table, but what rooms and others have", arguments: Backend.lasting)
    func columns(backend: Backend) async throws {
        let scratch = try Scratch()
        let place = try backend.place(scratch)
        try await EveryTable.fill(place)
        let people = ["ann", "bob", "dan", "eva", "gil"]
        let before: Set<String>
        do {
            let database = try AccountTool.open(place)
            for id in ["ann", "bob"] {
                try database.run(
                    "INSERT INTO people (id, name, role, created_at, updated_at) VALUES ($1, '', 'user', 1, 1)",
                    .text(id))
                try database.run(
                    """
                    INSERT INTO journal (room, seq, kind, at, json) SELECT key, seq + 1, 'user:joined', 1000000, $1 FROM rooms
                    WHERE id = 'r'
                    """, .json(Array(#"{"userId":"\#(id)","user":{"email":"x"}}"#.utf8)))
                try database.run("UPDATE rooms SET seq = seq + 1, journal_count = journal_count + 1 WHERE id = 'r'")
            }
            before = try Self.places(of: people, in: database)
            let named = try Self.textColumns(database).filter { Self.names.contains($0.column) }
            for (table, column) in named where table != "leftovers" && table != "social_accounts" {
                #expect(before.contains("\(table).\(column)"), "EveryTable.fill has nobody in \(table).\(column)")
            }
        }
        var limits = StoreLimits.quick
        limits.sweepMilliseconds = 20
        let store = try DatabaseStore(place, limits: limits, now: { 1_000_000 })
        for id in people { let _: EndedPerson = try await told { store.removePerson(id, at: 900_000, then: $0) } }
        try await eventually("nothing is left over") { try await Self.leftovers(store) == 0 }
        store.close()
        let after = try Self.places(of: people, in: AccountTool.open(place))
        #expect(after.subtracting(Self.kept.keys) == [], "removePerson leaves these")
        #expect(before.isSuperset(of: after))
        #expect(before.isSuperset(of: ["codes.recipient", "codes.address"]))
        #expect(try StoreCheck.run(place).findings == [])
    }

    private static func textColumns(_ database: any SQLConnection) throws -> [(table: String, column: String)] {
        if database is SQLiteConnection {
            return try database.rows(
                """
                SELECT tables.name, columns.name FROM sqlite_schema AS tables, pragma_table_info(tables.name) AS columns
                WHERE tables.type = 'table' AND columns.type = 'TEXT'
                """
            ) { ($0.text(0), $0.text(1)) }
        }
        return try database.rows(
            """
            SELECT table_name::text, column_name::text FROM information_schema.columns
            WHERE table_schema = current_schema() AND data_type = 'text' AND table_name NOT IN
                (SELECT table_name FROM information_schema.views WHERE table_schema = current_schema())
            """
        ) { ($0.text(0), $0.text(1)) }
    }

    /// What names the people of `EveryTable` besides their ids, as a word of a value and as a part of one.
    private static let words = ["Ann", "Bob", "Dan", "Eva", "Gil"]
    private static let parts = [
        "4155550123", "ann@example.org", "bob@example.org", "dan@example.org", "eva@example.com", "192.0.2.7",
    ]

    /// The columns in which one of these people is named.
    private static func places(of ids: [String], in database: any SQLConnection) throws -> Set<String> {
        var script = "CREATE TEMP TABLE seen (place TEXT, value TEXT);"
        for (table, column) in try textColumns(database) {
            script += "INSERT INTO seen SELECT '\(table).\(column)', \(column) FROM \(table);"
        }
        if let database = database as? SQLiteConnection { try database.script(script) }
        if let database = database as? PostgresConnection { try database.script(script) }
        let values = try database.rows("SELECT place, value FROM seen WHERE value IS NOT NULL") {
            (place: $0.text(0), text: $0.text(1), words: Set($0.text(1).split { !$0.isLetter }.map(String.init)))
        }
        let named = values.filter { value in
            !value.words.isDisjoint(with: ids + words) || parts.contains { value.text.contains($0) }
        }
        let found = Set(named.map(\.place))
        _ = try database.run("DROP TABLE seen")
        return found
    }

    @Test("leave none of their texts in the file")
    func pages() async throws {
        let scratch = try Scratch()
        var limits = StoreLimits.quick
        limits.sweepMilliseconds = 20
        let store = try DatabaseStore(.directory(scratch.path), limits: limits, now: { 1_000_000 })
        try await add("ann", to: store)
        func isInFile() throws -> Bool {
            try Data(contentsOf: URL(fileURLWithPath: scratch.database)).range(of: Data("a secret note".utf8)) != nil
        }
        for number in 0..<200 {
            let mood = Mood(
                id: "\(number)", person: "ann", scale: 1, note: "a secret note \(number)", feltAt: 1, createdAt: 1,
                updatedAt: 1)
            _ = try await told { store.addMood(mood, comparesTime: false, by: nil, then: $0) }
        }
        store.close()
        #expect(try isInFile())
        let again = try DatabaseStore(.directory(scratch.path), limits: limits, now: { 1_000_000 })
        let _: EndedPerson = try await told { again.removePerson("ann", at: 20, then: $0) }
        try await eventually("nothing is left over") { try await Self.leftovers(again) == 0 }
        again.close()
        #expect(try !isInFile())
    }

    @Test("are overwritten, whatever the build of SQLite does by itself")
    func overwriting() throws {
        let scratch = try Scratch()
        let driver = try SQLiteDriver(directory: scratch.path, limits: .quick)
        defer { driver.release() }
        let database = try SQLiteConnection(.file(scratch.database), .create, lockMillisecondsMax: 50)
        try database.script("PRAGMA secure_delete = OFF")
        try driver.configure(database)
        #expect(try database.first("PRAGMA secure_delete") { $0.int(0) } == 1)
    }

    private static func leftovers(_ store: DatabaseStore) async throws -> Int64 {
        try await told {
            store.read(then: $0) { (database) throws(StoreError) in
                try database.first("SELECT count(*) FROM leftovers") { $0.int(0) } ?? 0
            }
        }
    }

    @Test("are not named by the rows of limits", arguments: Backend.lasting)
    func limits(backend: Backend) async throws {
        let scratch = try Scratch()
        let store = try backend.open(scratch)
        defer { store.close() }
        try await add("ann", to: store)
        let names = ["day:sign-in:+14155550123", "day:email:ann:ann@example.org", "texts:192.0.2.1", "texts"]
        let own = ["owner:ann", "owner:ann:x"]
        func count(_ names: [String], at now: Int64 = 10) async throws {
            let allowances = names.map {
                Allowance($0, most: 1, seconds: 60, person: own.contains($0) ? "ann" : nil)
            }
            try await told { store.spend(allowances, at: now, then: $0) }
        }
        func stored() async throws -> [String] {
            try await told {
                store.read(then: $0) { (database) throws(StoreError) in
                    try database.rows("SELECT name FROM allowances ORDER BY name") { $0.text(0) }
                }
            }
        }
        try await count(names + own)
        for name in names + own {
            await #expect(throws: StoreError.usedUp(name, waitSeconds: 50)) { try await count([name], at: 20) }
        }
        let rows = try await stored()
        // Operators see the kind, and nothing else.
        #expect(rows.map { $0.prefix { $0 != ":" } } == ["day", "day", "owner", "owner", "texts", "texts"])
        for secret in ["4155550123", "ann", "192.0.2.1"] { #expect(!rows.contains { $0.contains(secret) }) }
        let _: EndedPerson = try await told { store.removePerson("ann", at: 20, then: $0) }
        #expect(try await stored() == rows.filter { !$0.hasPrefix("owner") })
        // Two stores have other names for the same.
        let other = try backend.open(Scratch())
        defer { other.close() }
        let day = Allowance(names[0], most: 1, seconds: 60)
        #expect(try other.hasher.name(of: day) != store.hasher.name(of: day))
    }
}
