import Rooms
import Testing
import Threads

@testable import Store

/// What every store promises of rooms' journals and elements.
@Suite("The journal", .timeLimit(.minutes(1)))
struct JournalContractTests {
    @Test("gives back what was appended, in order, with its elements", arguments: Backend.allCases)
    func roundTrip(backend: Backend) async throws {
        try await withStore(backend) { store in
            var log = SampleLog()
            let first = log.created("a", creation: "3:annx")
            let entries = [
                first, log.created("b", kind: .photo, content: "ж\\n😀"), log.entry("user:left", #"{"userId":"z"}"#),
                log.updated("a", content: "new", version: 2),
            ]
            #expect(try await store.appended(entries) == 4)
            let room = try #require(try await store.loaded())
            #expect(room.seq == 4 && room.isActive && room.createdBy == nil && room.createdAt == log.at)
            #expect(room.entries.map(\.seq) == [1, 2, 3, 4])
            #expect(room.entries.map(\.kind) == entries.map(\.kind))
            #expect(room.entries.map(\.json) == entries.map(\.json))
            #expect(room.elements.map(\.element.id) == ["a", "b"])
            let changed = sampleElement("a", content: "new", version: 2, updatedAt: log.at, era: 1)
            #expect(room.elements.first == StoredElement(element: changed, creation: "3:annx", seq: 4))
            #expect(room.elements.last?.element == sampleElement("b", kind: .photo, content: "ж\\n😀", era: 1))
        }
    }

    @Test("knows nothing of an unused room", arguments: Backend.allCases)
    func unknown(backend: Backend) async throws {
        try await withStore(backend) { store in
            #expect(try await store.loaded() == nil)
            let entries: [JournalEntry]? = try await told { store.entries(of: "r", after: 0, then: $0) }
            #expect(entries == nil)
            await #expect(throws: StoreError.notFound("room")) {
                let _: ElementChanges = try await told {
                    store.changes(of: "r", since: ChangesPosition(0), limit: 10, then: $0)
                }
            }
        }
    }

    @Test("keeps rooms apart whose names are the same only to the eye", arguments: Backend.allCases)
    func names(backend: Backend) async throws {
        try await withStore(backend) { store in
            for (index, room) in ["\u{e9}", "e\u{301}", "é\0", "", "é "].enumerated() {
                var log = SampleLog()
                let seq = try await store.appended([log.created("\(index)")], to: room)
                let stored = try await store.loaded(room)
                #expect(seq == 1 && stored?.elements.map(\.element.id) == ["\(index)"])
            }
        }
    }

    @Test("refuses what leaves a gap or is stored otherwise, and stores nothing of it", arguments: Backend.allCases)
    func order(backend: Backend) async throws {
        try await withStore(backend) { store in
            var log = SampleLog()
            let (first, second, third) = (log.created("a"), log.created("b"), log.created("c"))
            await #expect(throws: StoreError.outOfOrder(stored: 0)) { try await store.appended([second]) }
            #expect(try await store.loaded() == nil)
            try await store.appended([first])
            await #expect(throws: StoreError.outOfOrder(stored: 1)) { try await store.appended([third]) }
            var other = SampleLog()
            await #expect(throws: StoreError.outOfOrder(stored: 1)) { try await store.appended([other.created("x")]) }
            #expect(try await store.loaded()?.elements.map(\.element.id) == ["a"])
            #expect(try await store.appended([second, third]) == 3)
        }
    }

    @Test("takes what is stored already as done, and appends the rest", arguments: Backend.allCases)
    func again(backend: Backend) async throws {
        try await withStore(backend) { store in
            var log = SampleLog()
            let entries = [log.created("a"), log.created("b"), log.deleted("a")]
            try await store.appended(Array(entries.prefix(2)))
            #expect(try await store.appended(entries) == 3)
            #expect(try await store.appended(entries) == 3)
            #expect(try await store.appended([]) == 3)
            let room = try #require(try await store.loaded())
            #expect(room.elements.map(\.element.id) == ["b"] && room.entries.count == 3)
        }
    }

    @Test(
        "takes what a home repeats as done, also when a node with another clock has removed it as old",
        arguments: Backend.allCases)
    func againAfterAge(backend: Backend) async throws {
        var limits = StoreLimits.quick
        limits.sweepMilliseconds = 10
        let clock = TestClock(1_000_000)
        try await withStore(backend, limits: limits, now: { clock.now }) { store in
            let store = try #require(store as? DatabaseStore)
            var log = SampleLog(at: clock.now)
            let (first, second, third) = (log.created("a"), log.created("b"), log.created("c"))
            let claim = try await told { store.claim("r", by: ClusterNode(id: 1, boot: 1), then: $0) }
            guard case .here(_, let fence) = claim else {
                Issue.record("\(claim)")
                return
            }
            func append(_ entries: JournalEntry...) async throws -> UInt64 {
                try await told { store.append(entries, to: "r", fence: fence, then: $0) }
            }
            #expect(try await append(first, second) == 2)
            clock.now += limits.journalSecondsMax + 1
            try await eventually("the entries stay") { try await store.loaded()?.entries == [] }
            // As the proof that the store has it, as an append whose answer was lost, and with more behind it.
            #expect(try await append(second) == 2)
            #expect(try await append(first, second) == 2)
            #expect(try await append(second, third) == 3)
        }
    }

    @Test("stores all of an append or nothing", arguments: Backend.allCases)
    func whole(backend: Backend) async throws {
        try await withStore(backend) { store in
            var log = SampleLog()
            try await store.appended([log.created("a")])
            let before = try await store.loaded()
            // The second entry changes an element that does not exist.
            let bad = [log.created("b"), log.updated("nobody", content: "x", version: 2)]
            await #expect(throws: StoreError.notFound("element")) { try await store.appended(bad) }
            #expect(try await store.loaded() == before)
            #expect(store.health.isGood)
        }
    }

    @Test("stores many rooms' appends at once, each in its order", arguments: Backend.allCases)
    func many(backend: Backend) async throws {
        try await withStore(backend) { store in
            try await withThrowingTaskGroup(of: UInt64.self) { group in
                for room in 0..<20 {
                    var log = SampleLog()
                    // All are under way at a time: nothing waits for the one before.
                    for _ in 0..<50 {
                        let entry = log.created("e\(log.seq)")
                        let (answers, put) = AsyncThrowingStream<UInt64, any Error>.makeStream()
                        store.append([entry], to: "r\(room)") { put.yield(with: $0.mapError { $0 }) }
                        group.addTask { try await answers.first { _ in true } ?? 0 }
                    }
                }
                for try await seq in group { #expect(seq > 0) }
            }
            for room in 0..<20 {
                let stored = try #require(try await store.loaded("r\(room)"))
                #expect(stored.seq == 50)
                #expect(stored.elements.map(\.element.id) == (0..<50).map { "e\($0)" })
            }
            #expect(store.counters.jobs == 1_000 && store.counters.groups < 1_000)
        }
    }

    @Test("answers clients that come back with the missed entries, or that it cannot", arguments: Backend.allCases)
    func missed(backend: Backend) async throws {
        var limits = StoreLimits.quick
        limits.journalEntriesMax = 8
        try await withStore(backend, limits: limits) { store in
            func missed(_ seq: UInt64) async throws -> [UInt64]? {
                let entries: [JournalEntry]? = try await told { store.entries(of: "r", after: seq, then: $0) }
                return entries?.map(\.seq)
            }
            var log = SampleLog()
            for _ in 0..<3 { try await store.appended([log.entry()]) }
            #expect(try await missed(0) == [1, 2, 3])
            #expect(try await missed(2) == [3])
            #expect(try await missed(3) == [])
            #expect(try await missed(4) == nil)
            for _ in 0..<97 { try await store.appended([log.entry()]) }
            #expect(try await missed(50) == nil)
            #expect(try await missed(98) == [99, 100])
            let room = try #require(try await store.loaded())
            #expect(room.entries.last?.seq == 100 && room.entries.count <= 8 && room.entries.count >= 6)
        }
    }

    @Test("is bounded in bytes too, and loses nothing of the elements by it", arguments: Backend.allCases)
    func bytes(backend: Backend) async throws {
        var limits = StoreLimits.quick
        limits.journalBytesMax = 2_000
        try await withStore(backend, limits: limits) { store in
            var log = SampleLog()
            for index in 0..<50 {
                let json = "{\"x\":\"\(String(repeating: "é", count: 100))\"}"
                try await store.appended([log.entry("element:created", json, .created(sampleElement("e\(index)")))])
                let room = try #require(try await store.loaded())
                #expect(room.entries.reduce(0) { $0 + $1.json.count } <= 2_000)
                #expect(room.elements.count == index + 1 && room.entries.last?.seq == log.seq)
            }
            // One entry alone that is larger than the bound is not kept, and breaks nothing.
            try await store.appended([log.entry("x", "\"\(String(repeating: "x", count: 5_000))\"")])
            #expect(try await store.loaded()?.entries == [])
            try await store.appended([log.entry()])
            #expect(try await store.loaded()?.entries.map(\.seq) == [log.seq])
        }
    }

    @Test("forgets nothing because the clock of a server is ahead of the database's", arguments: Backend.allCases)
    func ahead(backend: Backend) async throws {
        var limits = StoreLimits.quick
        limits.sweepMilliseconds = 10
        try await withStore(backend, limits: limits, now: { Clock.unixSeconds() + 86_400 }) { store in
            var (new, old) = (SampleLog(at: Clock.unixSeconds()), SampleLog(at: 1_000))
            try await store.appended([new.created("a")])
            try await store.appended([old.created("a")], to: "old")
            try await eventually("the old entry stays") { try await store.loaded("old")?.entries == [] }
            #expect(try await store.loaded()?.entries.count == 1)
        }
    }

    @Test("forgets entries that are too old", arguments: Backend.allCases)
    func age(backend: Backend) async throws {
        var limits = StoreLimits.quick
        limits.sweepMilliseconds = 10
        limits.journalSecondsMax = 100
        let clock = TestClock(1_000_000)
        try await withStore(backend, limits: limits, now: { clock.now }) { store in
            for room in 0..<50 {
                var log = SampleLog()
                try await store.appended([log.entry()], to: "r\(room)")
                log.at += 50
                try await store.appended([log.created("a")], to: "r\(room)")
            }
            clock.now += 101
            try await eventually("the old entries stay") { try await store.loaded("r49")?.entries.map(\.seq) == [2] }
            clock.now += 1_000
            try await eventually("the last entry stays") { try await store.loaded("r7")?.entries == [] }
            #expect(try await store.loaded("r7")?.elements.count == 1)
            var log = SampleLog(seq: 2, at: clock.now)
            try await store.appended([log.entry()], to: "r7")
            #expect(try await store.loaded("r7")?.entries.map(\.seq) == [3])
        }
    }
}
