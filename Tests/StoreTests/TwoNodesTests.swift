import Testing

@testable import Store

/// What two nodes do to the same rows of one database at the same time.
@Suite("Two nodes at the same time", .timeLimit(.minutes(1)))
struct TwoNodesTests {
    private static let rounds = 20

    /// - Parameter locks: milliseconds for which a node waits for a row of the other. PostgreSQL looks after a second whether two wait for
    ///   each other: with less they fail.
    private func withNodes(
        locks: Int32 = 5_000, _ body: (DatabaseStore, DatabaseStore) async throws -> Void
    ) async throws {
        let scratch = try Scratch()
        let place = DatabaseStore.Place.postgres(try PostgresServer.place(scratch.schema))
        var limits = StoreLimits.quick
        limits.lockMillisecondsMax = locks
        limits.answerSecondsMax = 1_000
        let one = try DatabaseStore(place, limits: limits, node: 1)
        defer { one.close() }
        let two = try DatabaseStore(place, limits: limits, node: 2)
        defer { two.close() }
        try await body(one, two)
    }

    // MARK: Ends of sessions and accounts

    private func person(_ id: String, with sessions: [String], in store: DatabaseStore) async throws {
        let new = NewPerson(id: id, name: id, email: "", passwordHash: "h", at: 10)
        let _: AccountHolder = try await told { store.addPerson(new, then: $0) }
        for session in sessions { try await begin(session, of: id, in: store) }
    }

    private func begin(_ session: String, of person: String, in store: DatabaseStore) async throws {
        let new = NewSession(
            id: session, person: person, app: "rooms", agent: "", at: 10, endsAt: 2_000_000, refresh: nil)
        _ = try await told { store.beginSession(new, then: $0) }
    }

    private func sessions(of person: String, in store: DatabaseStore) async throws -> [String] {
        try await told { store.sessions(of: person, at: 10, then: $0) }.map(\.id)
    }

    /// Whether it was done for the session; false when that has ended. Any other failure is thrown.
    @Sendable private func isDone(
        for session: String, of person: String, _ work: @Sendable () async throws -> Void
    ) async throws -> Bool {
        do {
            try await Mandate.$current.withValue(Mandate(person: person, session: session), operation: work)
            return true
        } catch StoreError.ended {
            return false
        }
    }

    @Test("end each other's session of a person, and one stays")
    func endsOfEachOther() async throws {
        try await withNodes(locks: 900) { one, two in
            for round in 0..<Self.rounds {
                let (person, first, second) = ("p\(round)", "a\(round)", "b\(round)")
                try await self.person(person, with: [first, second], in: one)
                @Sendable func end(_ session: String, _ store: DatabaseStore) async throws {
                    _ = try await told { store.endSession(session, of: person, then: $0) } as Bool
                }
                async let mine = isDone(for: first, of: person) { try await end(second, one) }
                async let others = isDone(for: second, of: person) { try await end(first, two) }
                let done = try await (mine, others)
                #expect(done.0 != done.1)
                #expect(try await sessions(of: person, in: two) == [done.0 ? first : second])
            }
        }
    }

    @Test("change a password, and one of them ends the other's session")
    func passwords() async throws {
        try await withNodes(locks: 900) { one, two in
            for round in 0..<Self.rounds {
                let (person, first, second) = ("p\(round)", "a\(round)", "b\(round)")
                try await self.person(person, with: [first, second], in: one)
                @Sendable func change(_ store: DatabaseStore, keeping session: String) async throws {
                    _ =
                        try await told {
                            store.changePassword(
                                session, of: person, insteadOf: "h", keeping: session, at: 20, then: $0)
                        } as [String]
                }
                async let mine = isDone(for: first, of: person) { try await change(one, keeping: first) }
                async let others = isDone(for: second, of: person) { try await change(two, keeping: second) }
                let done = try await (mine, others)
                #expect(done.0 != done.1)
                #expect(try await sessions(of: person, in: two) == [done.0 ? first : second])
            }
        }
    }

    @Test("end each other's account, and one stays")
    func accountsOfEachOther() async throws {
        try await withNodes(locks: 900) { one, two in
            for round in 0..<Self.rounds {
                let (first, second) = ("a\(round)", "b\(round)")
                for id in [first, second] { try await person(id, with: [id], in: one) }
                @Sendable func end(_ person: String, _ store: DatabaseStore) async throws {
                    _ = try await told { store.removePerson(person, at: 20, then: $0) } as EndedPerson
                }
                async let mine = isDone(for: first, of: first) { try await end(second, one) }
                async let others = isDone(for: second, of: second) { try await end(first, two) }
                let done = try await (mine, others)
                #expect(done.0 != done.1)
                let left = try await told { two.person(done.0 ? first : second, then: $0) }
                #expect(left != nil)
            }
        }
    }

    @Test("end an account to which somebody signs in, and no session stays")
    func signIns() async throws {
        try await withNodes(locks: 900) { one, two in
            for round in 0..<Self.rounds {
                let person = "p\(round)"
                try await self.person(person, with: [], in: one)
                @Sendable func end() async throws -> EndedPerson {
                    try await told { one.removePerson(person, at: 20, then: $0) }
                }
                @Sendable func signIn() async throws -> Bool {
                    do {
                        try await begin("s\(round)", of: person, in: two)
                        return true
                    } catch StoreError.notFound("user") {
                        return false
                    }
                }
                async let ending = end()
                async let beginning = signIn()
                let (ended, begun) = try await (ending, beginning)
                #expect(ended.sessions == (begun ? ["s\(round)"] : []))
                #expect(try await sessions(of: person, in: two) == [])
            }
        }
    }

    @Test("write for two people whose sessions end, each before the end or not at all")
    func writesOfTwo() async throws {
        try await withNodes(locks: 900) { one, two in
            for round in 0..<Self.rounds {
                let people = ["p\(round)", "q\(round)"]
                for person in people { try await self.person(person, with: [person], in: one) }
                try await withThrowingTaskGroup(of: Void.self) { group in
                    for number in 0..<12 {
                        let (person, store) = (people[number % 2], number % 3 == 0 ? two : one)
                        group.addTask {
                            _ = try await isDone(for: person, of: person) {
                                try await told {
                                    store.changeSettings(Array(#"{"a":\#(number)}"#.utf8), of: person, then: $0)
                                }
                            }
                            _ = try await isDone(for: person, of: person) {
                                try await told {
                                    store.setDevice("d\(number)", of: person, session: nil, at: 20, then: $0)
                                }
                            }
                        }
                    }
                    for person in people {
                        group.addTask {
                            let _: EndedPerson = try await told { two.removePerson(person, at: 20, then: $0) }
                        }
                    }
                    try await group.waitForAll()
                }
                for person in people { #expect(try await told { two.devices(of: person, then: $0) }.isEmpty) }
            }
        }
    }

    // MARK: Others

    @Test("make one room for a key")
    func idempotency() async throws {
        try await withNodes { one, two in
            try await one.people("ann")
            for round in 0..<Self.rounds {
                let key = IdempotencyKey(key: "k\(round)", fingerprint: "f")
                @Sendable func make(_ id: String, _ store: DatabaseStore) async throws -> CreatedRoom {
                    let room = NewRoom(
                        id: "\(id)\(round)", creator: "ann", members: [], at: 20, idempotency: key)
                    return try await told { store.createRoom(room, then: $0) }
                }
                async let first = make("a", one)
                async let second = make("b", two)
                let (made, other) = try await (first, second)
                #expect(made.room.id == other.room.id && made.isNew != other.isNew)
            }
        }
    }

    @Test("use an invitation once for a user")
    func invitations() async throws {
        try await withNodes { one, two in
            try await one.people("ann", "bob")
            for round in 0..<Self.rounds {
                let room = "r\(round)"
                try await one.made(room, by: "ann")
                let new = Invitation(id: room, room: room, maker: "ann", createdAt: 20, endsAt: 100, usesMax: 5)
                try await told { one.addInvitation(new, hash: room, then: $0) }
                @Sendable func accept(_ store: DatabaseStore) async throws -> AcceptedInvitation {
                    try await told {
                        store.acceptInvitation(hash: room, by: "bob", members: (10, 10), at: 30, then: $0)
                    }
                }
                async let first = accept(one)
                async let second = accept(two)
                let (accepted, other) = try await (first, second)
                #expect(accepted.isNew != other.isNew)
                let uses = try await told { one.invitations(to: room, at: 30, then: $0) }.map(\.uses)
                #expect(uses == [1])
            }
        }
    }

    @Test("leave one profile preferred when each removes one")
    func profiles() async throws {
        try await withNodes { one, two in
            for round in 0..<Self.rounds {
                let person = "p\(round)"
                let new = NewPerson(id: person, name: person, email: "", passwordHash: nil, at: 10)
                let _: AccountHolder = try await told { one.addPerson(new, then: $0) }
                for id in ["a", "b", "c"] {
                    let profile = AppProfile(
                        id: "\(id)\(round)", person: person, username: "\(id)\(round)", displayName: id, bio: nil,
                        createdAt: 20, updatedAt: 20)
                    let _: AppProfile = try await told { one.addProfile(profile, by: nil, then: $0) }
                }
                @Sendable func remove(_ id: String, _ store: DatabaseStore) async throws -> Bool {
                    try await told { store.removeProfile("\(id)\(round)", of: person, by: nil, then: $0) }
                }
                async let first = remove("a", one)
                async let second = remove("b", two)
                let removed = try await (first, second)
                #expect(removed == (true, true))
                let left = try await told { one.profiles(of: person, then: $0) }
                #expect(left.map(\.id) == ["c\(round)"] && left.first?.isPreferred == true)
            }
        }
    }

    @Test("set types of a device, and each keeps what the other has set")
    func deviceTypes() async throws {
        try await withNodes { one, two in
            try await one.people("ann")
            let device = NewDevice(
                token: "t", platform: .ios, account: "ann", app: "app", appVersion: nil, newName: "n", session: nil)
            let _: Device = try await told { one.registerDevice(device, at: 20, then: $0) }
            for round in 0..<Self.rounds {
                @Sendable func set(_ name: String, _ store: DatabaseStore) async throws -> [String: Bool]? {
                    let types = ["\(name)\(round)": true]
                    return try await told { store.setDeviceTypes(types, of: "t", "ann", app: "app", then: $0) }
                }
                async let first = set("a", one)
                async let second = set("b", two)
                let answers = try await (first, second)
                #expect(answers.0?["a\(round)"] == true && answers.1?["b\(round)"] == true)
            }
            let types = try await told { one.devices(of: "ann", then: $0) }.first?.types
            #expect(types?.count == 2 * Self.rounds)
        }
    }

    @Test("set preferences, and those of one of them are kept")
    func preferences() async throws {
        try await withNodes { one, two in
            try await one.people("ann")
            for _ in 0..<Self.rounds {
                @Sendable func set(_ room: String, _ store: DatabaseStore) async throws {
                    let all = PushPreferences(types: ["roomJoined": true], mutedRooms: [room])
                    try await told { store.setPushPreferences(all, of: "ann", then: $0) }
                }
                async let first: Void = set("a", one)
                async let second: Void = set("b", two)
                _ = try await (first, second)
                let kept = try await told { one.pushPreferences(of: "ann", then: $0) }.mutedRooms
                #expect(kept == ["a"] || kept == ["b"])
            }
        }
    }
}
