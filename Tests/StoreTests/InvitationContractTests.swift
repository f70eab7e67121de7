import Testing

@testable import Store

/// What every store promises of links into rooms.
@Suite("Invitations", .timeLimit(.minutes(1)))
struct InvitationContractTests {
    private func inRoom(
        _ backend: Backend, _ limits: StoreLimits = .quick, now: Int64 = 1,
        _ body: (any ServerStore) async throws -> Void
    ) async throws {
        try await withStore(backend, limits: limits, now: { now }) { store in
            try await store.people("ann", "bob", "cat", "dan")
            try await store.made("r", by: "ann", with: "bob", at: 10)
            try await body(store)
        }
    }

    private func invite(
        _ id: String, by maker: String = "ann", at: Int64 = 20, endsAt: Int64 = 100, uses: Int = 5,
        in store: any ServerStore
    ) async throws {
        let invitation = Invitation(id: id, room: "r", maker: maker, createdAt: at, endsAt: endsAt, usesMax: uses)
        try await told { store.addInvitation(invitation, hash: "hash of \(id)", then: $0) }
    }

    private func accept(
        _ id: String, by user: String, at: Int64 = 30, now: Int = 10, ever: Int = 10, in store: any ServerStore
    ) async throws -> AcceptedInvitation {
        try await told {
            store.acceptInvitation(hash: "hash of \(id)", by: user, members: (now, ever), at: at, then: $0)
        }
    }

    private func listed(at now: Int64 = 30, in store: any ServerStore) async throws -> [String] {
        try await told { store.invitations(to: "r", at: now, then: $0) }.map { "\($0.id) \($0.uses)/\($0.usesMax)" }
    }

    private let gone = StoreError.notFound("invitation")

    @Test("let users in until they are used up, ended or taken back", arguments: Backend.allCases)
    func accepted(backend: Backend) async throws {
        try await inRoom(backend) { store in
            try await invite("a", uses: 1, in: store)
            try await invite("b", by: "bob", in: store)
            let first = try await accept("a", by: "cat", in: store)
            #expect(
                first.isNew && first.maker == "ann" && first.room.members.map(\.account.id) == ["ann", "bob", "cat"])
            await #expect(throws: gone) { try await accept("a", by: "dan", in: store) }
            // The last user may not have got the answer.
            #expect(try await !accept("a", by: "cat", in: store).isNew)
            // Members use nothing up.
            #expect(try await !accept("b", by: "cat", in: store).isNew)
            #expect(try await listed(in: store) == ["b 0/5"])
            await #expect(throws: gone) { try await accept("b", by: "dan", at: 100, in: store) }
            #expect(try await accept("b", by: "dan", at: 99, in: store).isNew)
            #expect(try await listed(in: store) == ["b 1/5"])
            #expect(try await listed(at: 100, in: store) == [])
            #expect(try await told { store.removeInvitation("b", to: "r", then: $0) })
            #expect(try await !told { store.removeInvitation("b", to: "r", then: $0) })
            #expect(try await listed(in: store) == [])
            await #expect(throws: gone) { try await accept("none", by: "dan", in: store) }
        }
    }

    @Test("are void when their maker or the user has left since", arguments: Backend.allCases)
    func former(backend: Backend) async throws {
        try await inRoom(backend) { store in
            try await invite("a", by: "bob", at: 20, in: store)
            try await invite("b", by: "ann", at: 20, in: store)
            _ = try await accept("b", by: "cat", at: 25, in: store)
            for user in ["bob", "cat"] {
                let _: RoomRecord = try await told { store.removeMember(user, from: "r", at: 30, then: $0) }
            }
            await #expect(throws: gone) { try await accept("a", by: "dan", at: 40, in: store) }
            await #expect(throws: gone) { try await accept("b", by: "cat", at: 40, in: store) }
            #expect(try await listed(at: 40, in: store) == ["b 1/5"])
            try await invite("c", at: 31, in: store)
            #expect(try await accept("c", by: "cat", at: 40, in: store).isNew)
            let _: RoomRecord = try await told { store.closeRoom("r", at: 50, then: $0) }
            await #expect(throws: StoreError.conflict("The room is closed.")) {
                try await accept("c", by: "dan", at: 51, in: store)
            }
        }
    }

    @Test("are bounded, as rooms are", arguments: Backend.allCases)
    func bounded(backend: Backend) async throws {
        var limits = StoreLimits.quick
        limits.invitationsMax = 2
        try await inRoom(backend, limits) { store in
            try await invite("a", endsAt: 50, in: store)
            try await invite("b", in: store)
            let refusal = StoreError.conflict("The room has 2 invitations already; take one back first.")
            await #expect(throws: refusal) { try await invite("c", in: store) }
            // One has ended.
            try await invite("c", at: 50, in: store)
            let full = StoreError.conflict("The room has as many members as it may have.")
            await #expect(throws: full) { try await accept("b", by: "cat", now: 2, in: store) }
            await #expect(throws: full) { try await accept("b", by: "cat", ever: 2, in: store) }
            #expect(try await listed(at: 60, in: store) == ["b 0/5", "c 0/5"])
            #expect(try await accept("b", by: "cat", now: 3, ever: 3, in: store).isNew)
            // One that is used up leaves its place.
            #expect(try await told { store.removeInvitation("c", to: "r", then: $0) })
            try await invite("d", at: 50, uses: 1, in: store)
            #expect(try await accept("d", by: "dan", at: 60, in: store).isNew)
            try await invite("e", at: 60, in: store)
            #expect(try await listed(at: 60, in: store) == ["b 1/5", "e 0/5"])
        }
    }

    @Test("let no more users in at a time than they are for", arguments: Backend.allCases)
    func contended(backend: Backend) async throws {
        try await inRoom(backend) { store in
            try await invite("a", uses: 1, in: store)
            let count = await withTaskGroup(of: Bool.self) { group in
                for user in ["cat", "dan"] {
                    group.addTask { (try? await accept("a", by: user, in: store))?.isNew ?? false }
                }
                return await group.reduce(into: 0) { $0 += $1 ? 1 : 0 }
            }
            #expect(count == 1)
        }
    }

    @Test("are swept when they have ended, and go with their maker's account", arguments: Backend.allCases)
    func swept(backend: Backend) async throws {
        var limits = StoreLimits.quick
        limits.sweepMilliseconds = 20
        try await inRoom(backend, limits, now: 60) { store in
            try await invite("a", endsAt: 50, in: store)
            try await invite("b", endsAt: 70, in: store)
            try await eventually("the invitation is kept") { try await listed(at: 0, in: store) == ["b 0/5"] }
            let person = NewPerson(id: "eve", name: "Eve", email: "e@example.org", passwordHash: nil, at: 10)
            let _: AccountHolder = try await told { store.addPerson(person, then: $0) }
            try await invite("c", by: "eve", in: store)
            let _: EndedPerson = try await told { store.removePerson("eve", at: 40, then: $0) }
            #expect(try await !told { store.removeInvitation("c", to: "r", then: $0) })
        }
    }
}
