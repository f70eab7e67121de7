import Rooms
import Testing

@testable import Store

/// The promises of every store about elements: changes, deletions, and answers to clients that were away.
@Suite("Stored elements", .timeLimit(.minutes(1)))
struct ElementContractTests {
    @Test("go with their deletion, and what clients called them is remembered", arguments: Backend.allCases)
    func remembered(backend: Backend) async throws {
        try await withStore(backend) { store in
            var log = SampleLog()
            try await store.appended([
                log.created("a", creation: "3:annone"), log.created("b", creation: "3:anntwo"), log.created("c"),
                log.deleted("b"), log.deleted("c"), log.deleted("a"),
            ])
            let room = try #require(try await store.loaded())
            #expect(room.elements == [])
            #expect(room.rememberedCreations == ["3:anntwo", "3:annone"])
            let again = log.deleted("a")
            await #expect(throws: StoreError.notFound("element")) { try await store.appended([again]) }
        }
    }

    @Test("make a room that goes on as the one that was stored")
    func contents() async throws {
        try await withStore { store in
            var log = SampleLog()
            try await store.appended([
                log.created("a", creation: "3:annone"), log.created("b", creation: "3:anntwo"), log.deleted("b"),
            ])
            let stored = try #require(try await store.loaded())
            var room = Room(id: "r", info: Array("{}".utf8), limits: RoomLimits(), contents: stored.contents)
            room.checkInvariants()
            let ann = ConnectionID(shard: 0, number: 1)
            let now = Moment(monotonic: 0, unixSeconds: 0)
            _ = try room.join(ann, Person(id: "ann", profile: Array("{}".utf8)), at: now)
            #expect(room.lastSeq == 4 && room.elementCount == 1)
            var resend = Room.Creation(kind: .note, values: Element.noValues, clientID: "one")
            #expect(try room.create(resend, by: ann, newID: "new", at: now).id == "a")
            resend.clientID = "two"
            #expect(throws: RoomError.self) { try room.create(resend, by: ann, newID: "new", at: now) }
            #expect(room.lastSeq == 4)
            room.checkInvariants()
        }
    }

    @Test("remember the newest use of a name that was used again")
    func reused() async throws {
        try await withStore { store in
            var log = SampleLog()
            try await store.appended([
                log.created("a", creation: "k"), log.deleted("a"), log.created("b", creation: "k"), log.deleted("b"),
                log.created("c", creation: "k"),
            ])
            let stored = try #require(try await store.loaded())
            let room = Room(id: "r", info: Array("{}".utf8), limits: RoomLimits(), contents: stored.contents)
            room.checkInvariants()
            #expect(room.elementCount == 1)
        }
    }

    private func changes(_ store: any ServerStore, _ since: UInt64, limit: Int = 100) async throws -> ElementChanges {
        try await changes(store, ChangesPosition(since), limit: limit)
    }

    private func changes(
        _ store: any ServerStore, _ since: ChangesPosition, limit: Int
    ) async throws -> ElementChanges {
        try await told { store.changes(of: "r", since: since, limit: limit, then: $0) }
    }

    @Test("tell what has changed since a number, deletions too, each once", arguments: Backend.allCases)
    func changes(backend: Backend) async throws {
        try await withStore(backend) { store in
            var log = SampleLog()
            try await store.appended([
                log.created("a"), log.created("b"), log.created("c"), log.updated("a", content: "x", version: 2),
                log.entry(), log.deleted("b", version: 7),
            ])
            let all = try await changes(store, 0)
            #expect(all.elements.map(\.element.id) == ["c", "a"])
            #expect(all.tombstones == [Tombstone(id: "b", version: 7, seq: 6, deletedAt: log.at)])
            #expect(all.through == 6 && all.seq == 6 && !all.hasMore && !all.isReset)
            let later = try await changes(store, 4)
            #expect(later.elements == [] && later.tombstones.map(\.id) == ["b"])
            let none = try await changes(store, 6)
            #expect(none.elements == [] && none.tombstones == [] && none.through == 6 && !none.isReset)
            // A number that the room never had.
            #expect(try await changes(store, 99).isReset)
        }
    }

    @Test("come page by page without a gap", arguments: Backend.allCases)
    func pages(backend: Backend) async throws {
        try await withStore(backend) { store in
            var log = SampleLog()
            for index in 0..<25 { try await store.appended([log.entry(), log.created("e\(index)")]) }
            var seen: [String] = []
            var since: UInt64 = 0
            while true {
                let page = try await changes(store, since, limit: 10)
                seen += page.elements.map(\.element.id)
                since = page.through
                guard page.hasMore else { break }
                #expect(page.elements.count == 10)
            }
            #expect(seen == (0..<25).map { "e\($0)" } && since == 50)
        }
    }

    @Test("begin anew for a client that was away longer than deletions are remembered", arguments: Backend.allCases)
    func forgotten(backend: Backend) async throws {
        var limits = StoreLimits.quick
        limits.tombstonesMax = 8
        try await withStore(backend, limits: limits) { store in
            var log = SampleLog()
            try await store.appended([log.created("stays")])
            for index in 0..<20 { try await store.appended([log.created("e\(index)"), log.deleted("e\(index)")]) }
            let early = try await changes(store, 5)
            #expect(early.isReset && early.elements.map(\.element.id) == ["stays"])
            #expect(early.tombstones.count <= 8 && early.tombstones.count >= 6)
            #expect(try await !changes(store, 39).isReset)
            // A client that has nothing has nothing to forget.
            #expect(try await !changes(store, 0).isReset)
        }
    }

    @Test("end a page that is large, and are each told all the same", arguments: Backend.allCases)
    func largePages(backend: Backend) async throws {
        var limits = StoreLimits.quick
        limits.pageBytesMax = 10_000
        try await withStore(backend, limits: limits) { store in
            var log = SampleLog()
            for index in 0..<10 {
                let content = String(repeating: "x", count: index == 4 ? 50_000 : 4_000)
                try await store.appended([
                    log.created("e\(index)"), log.updated("e\(index)", content: content, version: 2),
                ])
            }
            var counts: [Int] = []
            var position = ChangesPosition(0)
            while true {
                let page = try await changes(store, position, limit: 100)
                counts.append(page.elements.count)
                guard page.hasMore, counts.count < 20 else { break }
                position = ChangesPosition(page.through, begin: page.begin)
            }
            #expect(counts == [3, 2, 3, 2])
        }
    }

    @Test("come page by page also where deletions have been forgotten", arguments: Backend.allCases)
    func pagesOfOldRooms(backend: Backend) async throws {
        var limits = StoreLimits.quick
        limits.tombstonesMax = 8
        try await withStore(backend, limits: limits) { store in
            var log = SampleLog()
            for index in 0..<25 { try await store.appended([log.created("e\(index)")]) }
            for index in 0..<20 { try await store.appended([log.created("d\(index)"), log.deleted("d\(index)")]) }
            for since in [0, 3] as [UInt64] {
                var seen: [String] = []
                var position = ChangesPosition(since)
                for number in 0..<20 {
                    let page = try await changes(store, position, limit: 5)
                    #expect(page.isReset == (number == 0 && since > 0))
                    seen += page.elements.map(\.element.id)
                    guard page.hasMore else { break }
                    position = ChangesPosition(page.through, begin: page.begin)
                }
                #expect(seen == (0..<25).map { "e\($0)" })
            }
            // What was shown and is deleted meanwhile has to be told: once that is forgotten, all begins anew.
            let first = try await changes(store, ChangesPosition(0), limit: 5)
            for index in 0..<25 { try await store.appended([log.deleted("e\(index)")]) }
            #expect(try await changes(store, ChangesPosition(first.through, begin: first.begin), limit: 5).isReset)
        }
    }

    @Test("are buried for a while only", arguments: Backend.allCases)
    func old(backend: Backend) async throws {
        var limits = StoreLimits.quick
        limits.sweepMilliseconds = 10
        limits.tombstoneSecondsMax = 100
        let clock = TestClock(1_000_000)
        try await withStore(backend, limits: limits, now: { clock.now }) { store in
            var log = SampleLog()
            try await store.appended([log.created("a"), log.deleted("a"), log.created("b")])
            #expect(try await changes(store, 1).tombstones.count == 1)
            clock.now += 101
            try await eventually("the tombstone stays") { try await changes(store, 1).isReset }
            #expect(try await changes(store, 2).tombstones == [])
            #expect(try await changes(store, 2).elements.count == 1)
        }
    }
}
