import Testing

@testable import Store

/// The promises of every store about rooms and their members.
@Suite("The catalog of rooms", .timeLimit(.minutes(1)))
struct RoomCatalogContractTests {
    @Test("makes rooms with their members, in order", arguments: Backend.allCases)
    func make(backend: Backend) async throws {
        try await withStore(backend) { store in
            try await store.people("ann", "bob", "cid")
            let room = try await store.made("r", by: "bob", with: "ann", "bob", "cid")
            #expect(room.creator?.id == "bob" && room.isActive && room.elementCount == 0 && room.name == nil)
            #expect(room.members.map(\.account.id) == ["bob", "ann", "cid"] && room.members.map(\.place) == [0, 1, 2])
            #expect(room.createdAt == 20 && room.updatedAt == 20)
            #expect(try await told { store.room("r", then: $0) } == room)
            #expect(try await told { store.memberIDs(of: "r", then: $0) } == ["bob", "ann", "cid"])
            await #expect(throws: StoreError.taken("room")) { try await store.made("r", by: "ann") }
            await #expect(throws: StoreError.notFound("user")) { try await store.made("s", by: "ann", with: "nobody") }
            #expect(try await told { store.room("s", then: $0) } == nil)
        }
    }

    @Test("makes one room for a demand and its retries", arguments: Backend.allCases)
    func idempotency(backend: Backend) async throws {
        try await withStore(backend) { store in
            try await store.people("ann", "bob")
            func make(_ id: String, _ creator: String, _ print: String, at: Int64) async throws -> CreatedRoom {
                let key = IdempotencyKey(key: "k", fingerprint: print)
                let room = NewRoom(id: id, creator: creator, members: [], at: at, idempotency: key)
                return try await told { store.createRoom(room, then: $0) }
            }
            #expect(try await make("r1", "ann", "f", at: 100).isNew)
            let retry = try await make("r2", "ann", "f", at: 200)
            #expect(!retry.isNew && retry.room.id == "r1")
            await #expect(throws: StoreError.self) { _ = try await make("r3", "ann", "g", at: 300) }
            #expect(try await make("r4", "bob", "f", at: 300).isNew)
            #expect(try await make("r5", "ann", "f", at: 100 + 86_401).isNew)
            #expect(try await told { store.room("r2", then: $0) } == nil)
        }
    }

    @Test("keeps answers for a day, the first one", arguments: Backend.allCases)
    func answers(backend: Backend) async throws {
        let clock = TestClock(1_000)
        var limits = StoreLimits.quick
        limits.sweepMilliseconds = 10
        try await withStore(backend, limits: limits, now: { clock.now }) { store in
            let key = IdempotencyKey(key: "k", fingerprint: "f")
            func known(_ account: String = "ann", at: Int64) async throws -> String? {
                try await told { store.answer(to: key, of: account, at: at, then: $0) }
            }
            #expect(try await known(at: 1_000) == nil)
            try await told { store.keep("one", as: key, of: "ann", at: 1_000, then: $0) }
            try await told { store.keep("two", as: key, of: "ann", at: 1_001, then: $0) }
            #expect(try await known(at: 87_400) == "one")
            #expect(try await known("bob", at: 1_000) == nil)
            #expect(try await known(at: 87_401) == nil)
            clock.now = 87_401
            try await eventually("the answer stays") { try await known(at: 1_000) == nil }
        }
    }

    @Test("lets people come, go and come again", arguments: Backend.allCases)
    func members(backend: Backend) async throws {
        try await withStore(backend) { store in
            try await store.people("ann", "bob", "cid")
            try await store.made("r", by: "ann")
            func standing(_ account: String, _ room: String = "r") async throws -> RoomStanding {
                try await told { store.standing(of: account, in: room, then: $0) }
            }
            func add(_ account: String, at: Int64) async throws -> RoomRecord {
                try await told { store.addMember(account, to: "r", at: at, then: $0) }
            }
            func remove(_ account: String, at: Int64) async throws -> RoomRecord {
                try await told { store.removeMember(account, from: "r", at: at, then: $0) }
            }
            #expect(try await standing("ann") == RoomStanding(part: .creator, doesExist: true, isActive: true))
            #expect(try await standing("bob").part == .stranger)
            #expect(try await add("bob", at: 30).members.map(\.joinedAt) == [20, 30])
            let twice = try await add("bob", at: 31)
            #expect(twice.members.last?.joinedAt == 30 && twice.updatedAt == 30)
            #expect(try await standing("bob").part == .member)
            #expect(try await remove("bob", at: 40).members.last?.leftAt == 40)
            #expect(try await standing("bob").part == .formerMember)
            await #expect(throws: StoreError.notFound("member")) { _ = try await remove("bob", at: 41) }
            await #expect(throws: StoreError.notFound("member")) { _ = try await remove("cid", at: 41) }
            await #expect(throws: StoreError.notFound("user")) { _ = try await add("nobody", at: 41) }
            _ = try await add("cid", at: 50)
            let again = try await add("bob", at: 60)
            #expect(again.members.map(\.account.id) == ["ann", "bob", "cid"])
            #expect(again.members.map(\.place) == [0, 1, 2] && again.members.map(\.joinedAt) == [20, 60, 50])
            #expect(again.members.allSatisfy { $0.leftAt == nil })
            #expect(try await standing("ann", "s") == RoomStanding(part: .stranger, doesExist: false, isActive: false))
        }
    }

    @Test("renames and closes; what is closed stays so", arguments: Backend.allCases)
    func close(backend: Backend) async throws {
        try await withStore(backend) { store in
            try await store.people("ann", "bob")
            try await store.made("r", by: "ann")
            let named: RoomRecord = try await told { store.renameRoom("r", to: "Kitchen", by: "ann", at: 30, then: $0) }
            #expect(named.name == "Kitchen" && named.updatedAt == 30)
            let closed: RoomRecord = try await told { store.closeRoom("r", at: 40, then: $0) }
            #expect(!closed.isActive && closed.updatedAt == 40)
            #expect(try await told { store.closeRoom("r", at: 50, then: $0) } == closed)
            #expect(try await store.loaded()?.isActive == false)
            await #expect(throws: StoreError.conflict("The room is closed.")) {
                let _: RoomRecord = try await told { store.renameRoom("r", to: "x", by: "ann", at: 60, then: $0) }
            }
            await #expect(throws: StoreError.conflict("The room is closed.")) {
                let _: RoomRecord = try await told { store.addMember("bob", to: "r", at: 60, then: $0) }
            }
            await #expect(throws: StoreError.notFound("room")) {
                let _: RoomRecord = try await told { store.closeRoom("s", at: 60, then: $0) }
            }
        }
    }

    @Test("lists one's rooms by activity, page by page", arguments: Backend.allCases)
    func list(backend: Backend) async throws {
        try await withStore(backend) { store in
            try await store.people("ann", "bob")
            for index in 0..<7 { try await store.made("r\(index)", by: "ann", at: 100 + Int64(index / 2)) }
            try await store.made("other", by: "bob", at: 500)
            var log = SampleLog(at: 900)
            try await store.appended([log.created("e"), log.created("f"), log.deleted("f")], to: "r2")
            // Joins and leaves are not activity.
            var joins = SampleLog(at: 950)
            try await store.appended([joins.entry()], to: "r0")
            var seen: [RoomSummary] = []
            var cursor: String?
            repeat {
                let page: Page<RoomSummary> = try await told {
                    store.rooms(of: "ann", PageRequest(limit: 2, cursor: cursor), then: $0)
                }
                seen += page.items
                cursor = page.next
            } while cursor != nil
            #expect(seen.map(\.id) == ["r2", "r6", "r5", "r4", "r3", "r1", "r0"])
            #expect(seen.first?.elementCount == 1 && seen.first?.updatedAt == 900)
            for bad in ["x", "1", "1.2.3", "1.x", "", "99999999999999999999.1"] {
                await #expect(throws: StoreError.badCursor, "\(bad)") {
                    let _: Page<RoomSummary> = try await told {
                        store.rooms(of: "ann", PageRequest(cursor: bad), then: $0)
                    }
                }
            }
        }
    }

    @Test("groups active rooms by the people in them", arguments: Backend.allCases)
    func grouped(backend: Backend) async throws {
        try await withStore(backend) { store in
            try await store.people("me", "ann", "bob", "cid", "dan")
            try await store.made("r1", by: "me", with: "bob", at: 100)
            try await store.made("r2", by: "ann", with: "me", "bob", at: 200)
            try await store.made("r3", by: "me", with: "cid", at: 300)
            try await store.made("r4", by: "ann", with: "dan", at: 400)
            let _: RoomRecord = try await told { store.closeRoom("r3", at: 310, then: $0) }
            var seen: [PersonWithRooms] = []
            var cursor: String?
            repeat {
                let page: Page<PersonWithRooms> = try await told {
                    store.roomsByPerson(of: "me", PageRequest(limit: 1, cursor: cursor), then: $0)
                }
                seen += page.items
                cursor = page.next
            } while cursor != nil
            #expect(seen.map(\.account.id) == ["ann", "bob"])
            #expect(seen.map { $0.rooms.map(\.id) } == [["r2"], ["r2", "r1"]])
        }
    }

    /// A user may be added to any number of rooms.
    @Test("tells a bounded number of rooms with each, the newest", arguments: Backend.allCases)
    func groupedBound(backend: Backend) async throws {
        var limits = StoreLimits.quick
        limits.roomsPerPersonMax = 3
        try await withStore(backend, limits: limits) { store in
            try await store.people("me", "bob")
            for number in 1...5 { try await store.made("r\(number)", by: "bob", with: "me", at: Int64(100 * number)) }
            let page: Page<PersonWithRooms> = try await told {
                store.roomsByPerson(of: "me", PageRequest(limit: 9), then: $0)
            }
            #expect(page.items.map { $0.rooms.map(\.id) } == [["r5", "r4", "r3"]])
        }
    }
}
