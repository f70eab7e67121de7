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

    @Test("wait for what is being written for a session")
    func order() async throws {
        let scratch = try Scratch()
        var limits = StoreLimits.quick
        limits.lockMillisecondsMax = 10_000
        let place = try PostgresServer.place(scratch.schema)
        let store = try DatabaseStore(.postgres(place), limits: limits, node: 1)
        defer { store.close() }
        try await add("ann", to: store)
        try await begin("s", of: "ann", in: store)
        let other = try PostgresConnection(place, limits, isReader: false)
        try other.begin(.write)
        #expect(try other.holds(Mandate(person: "ann", session: "s")))
        let removal = Task { () -> EndedPerson in try await told { store.removePerson("ann", at: 20, then: $0) } }
        let watcher = try PostgresConnection(place, limits, isReader: true)
        try await eventually("the removal waits") {
            try watcher.first("SELECT count(*) FROM pg_locks WHERE NOT granted") { $0.int(0) } ?? 0 > 0
        }
        try other.run("INSERT INTO settings (person, json) VALUES ('ann', '{}')")
        try other.commit()
        #expect(try await removal.value.sessions == ["s"])
        #expect(try watcher.first("SELECT count(*) FROM settings") { $0.int(0) } == 0)
        try other.begin(.write)
        #expect(try !other.holds(Mandate(person: "ann", session: "s")))
        other.rollBack()
    }

    // MARK: Writes about a person

    @Test("are there for nobody who would write about them", arguments: Backend.allCases)
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
        }
    }
}
