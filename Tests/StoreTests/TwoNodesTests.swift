import Testing

@testable import Store

/// What two nodes do to the same rows of one database at the same time.
@Suite("Two nodes at the same time", .timeLimit(.minutes(1)))
struct TwoNodesTests {
    private static let rounds = 20

    private func withNodes(_ body: (DatabaseStore, DatabaseStore) async throws -> Void) async throws {
        let scratch = try Scratch()
        let place = DatabaseStore.Place.postgres(try PostgresServer.place(scratch.schema))
        var limits = StoreLimits.quick
        limits.lockMillisecondsMax = 5_000
        limits.answerSecondsMax = 1_000
        let one = try DatabaseStore(place, limits: limits, node: 1)
        defer { one.close() }
        let two = try DatabaseStore(place, limits: limits, node: 2)
        defer { two.close() }
        try await body(one, two)
    }

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
