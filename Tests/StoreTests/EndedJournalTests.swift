import Testing

@testable import Store

/// What becomes of the journals of rooms that a person was in whose account has ended.
@Suite("Journals after the end of an account", .timeLimit(.minutes(1)))
struct EndedJournalTests {
    private func add(_ name: String, to store: any ServerStore) async throws {
        let person = NewPerson(id: name, name: name, email: "\(name)@example.org", passwordHash: nil, at: 10)
        let _: AccountHolder = try await told { store.addPerson(person, then: $0) }
    }

    private func joined(_ person: String, _ rooms: String..., in store: any ServerStore) async throws {
        for room in rooms {
            try await store.made(room, by: person)
            var log = SampleLog()
            let json = #"{"userId":"\#(person)"}"#
            try await store.appended(
                [log.created("e"), log.entry("user:joined", json, .came(person)), log.created("f")], to: room)
        }
    }

    private func mentions(of person: String, in database: any SQLConnection) throws -> Int64? {
        try database.first("SELECT count(*) FROM journal WHERE json LIKE '%' || $1 || '%'", .text(person)) { $0.int(0) }
    }

    @Test("forget the person one room at a time, also after a restart", arguments: Backend.lasting)
    func journals(backend: Backend) async throws {
        let scratch = try Scratch()
        let place: DatabaseStore.Place =
            backend == .postgres ? .postgres(try PostgresServer.place(scratch.schema)) : .directory(scratch.path)
        do {
            let store = try backend.open(scratch)
            defer { store.close() }
            for name in ["ann", "bob"] { try await add(name, to: store) }
            try await joined("ann", "p", "q", in: store)
            try await joined("bob", "r", in: store)
            for name in ["ann", "bob"] {
                let _: EndedPerson = try await told { store.removePerson(name, at: 20, then: $0) }
            }
        }
        let database = try AccountTool.open(place)
        func turn() throws {
            var sweep = try Sweep(database, .quick, now: 1_000_000)
            sweep.journalsPerTurn = 1
            _ = try sweep.run()
        }
        func left() throws -> [Int64?] { try ["ann", "bob"].map { try mentions(of: $0, in: database) } }
        var seen = [try left()]
        for _ in 0..<9 {
            try turn()
            if try left() != seen.last { seen.append(try left()) }
        }
        #expect(seen == [[2, 1], [1, 1], [0, 1], [0, 0]])
        #expect(try database.first("SELECT count(*) FROM leftovers") { $0.int(0) } == 0)
        // What comes after the entry stays.
        #expect(try database.first("SELECT count(*) FROM journal") { $0.int(0) } == 3)
        #expect(try StoreCheck.run(place).findings == [])
    }

    @Test("keep no end of an account waiting")
    func rooms() async throws {
        try await NodeBeside.with { store, other, _ in
            try await add("ann", to: store)
            try await joined("ann", "r", in: store)
            try other.begin(.write)
            try other.run("UPDATE rooms SET seq = seq WHERE id = 'r'")
            let _: EndedPerson = try await told { store.removePerson("ann", at: 20, then: $0) }
            try other.commit()
        }
    }

    @Test("have the right counts when another node appends meanwhile")
    func counts() async throws {
        try await NodeBeside.with { store, other, watcher in
            try await add("ann", to: store)
            try await joined("ann", "r", in: store)
            try other.begin(.write)
            let entry = JournalEntry(
                seq: 4, kind: "x", json: [0x31], at: 1_000_000, effect: .none, incarnation: 1)
            _ = try JournalWriting(other, .quick, notifies: false).append(
                RoomAppend(room: "r", entries: [entry]))
            let cut = Task {
                try await told {
                    store.write(then: $0) { (database) throws(StoreError) in
                        let room = try database.first("SELECT key FROM rooms WHERE id = 'r'") { $0.int(0) }
                        try Compaction(database, .quick).forgetJoins(of: "ann", in: room ?? 0)
                    }
                }
            }
            try await NodeBeside.waits(watcher)
            try other.commit()
            try await cut.value
            let counted = try watcher.first("SELECT journal_count FROM rooms WHERE id = 'r'") { $0.int(0) }
            #expect(counted == 2)
            #expect(try watcher.first("SELECT count(*) FROM journal") { $0.int(0) } == 2)
        }
    }
}
