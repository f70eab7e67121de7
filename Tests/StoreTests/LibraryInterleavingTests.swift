import Testing
import Threads

@testable import Store

/// Nobody misses a change of the library, however clocks and commits lie.
@Suite("Changes of the library", .timeLimit(.minutes(3)))
struct LibraryInterleavingTests {
    /// A phone that knows only the printed times, or marks.
    private struct Phone {
        let usesTimes: Bool
        var items: [String: LibraryItem] = [:]
        var mark: LibraryMark?
        var comings: [LibraryMark] = []

        mutating func sync(_ store: any ServerStore) async throws {
            while true {
                let found = try await LibraryContractTests.changes(
                    store, .whisper, after: mark, for: "bob", limit: usesTimes ? 1_000 : 7)
                for item in found.items { items[item.id] = item }
                for gone in found.removed { items[gone.id] = nil }
                comings += found.items.map(\.mark)
                let end = found.next ?? found.end
                mark = usesTimes ? LibraryMark(before: end.at) : end
                if found.next == nil { return }
            }
        }
    }

    /// Nodes whose clocks differ by minutes.
    private func withNodes(
        _ backend: Backend, _ body: ([DatabaseStore]) async throws -> Void
    ) async throws {
        let scratch = try Scratch()
        guard backend == .postgres else {
            let clock = Locked<Int64>(1_000_000)
            // One server, whose clock jumps.
            let store = try backend.open(scratch) {
                clock.withLock { now in
                    now += Int64.random(in: -30...31)
                    return now
                }
            }
            defer { store.close() }
            return try await body([store])
        }
        // Nodes wait for each other here: that is what is tested.
        var limits = StoreLimits.quick
        limits.lockMillisecondsMax = 30_000
        var nodes: [DatabaseStore] = []
        defer { for node in nodes { node.close() } }
        for (id, shift) in [(1, 0), (2, 120), (3, -120)] {
            let base = Clock.unixSeconds() + Int64(shift)
            nodes.append(
                try DatabaseStore(
                    .postgres(PostgresServer.place(scratch.schema)), limits: limits, node: id,
                    now: { base + Int64.random(in: -1...1) }))
        }
        try await body(nodes)
    }

    @Test(
        "reach each phone while 50 write on several nodes with different clocks", arguments: [Backend.file, .postgres])
    func everyChangeArrives(backend: Backend) async throws {
        try await withNodes(backend) { nodes in
            for name in ["ann", "bob"] {
                let person = NewPerson(id: name, name: name, email: "", passwordHash: nil, at: 10)
                let _: AccountHolder = try await told { nodes[0].addPerson(person, then: $0) }
            }
            let running = Locked(50)
            try await withThrowingTaskGroup(of: Phone?.self) { tasks in
                for number in 0..<50 {
                    tasks.addTask {
                        defer { running.withLock { $0 -= 1 } }
                        try await Self.write(number, nodes)
                        return nil
                    }
                }
                for number in 0..<4 {
                    tasks.addTask {
                        var phone = Phone(usesTimes: number % 2 == 0)
                        while running.withLock({ $0 }) > 0 { try await phone.sync(nodes[number % nodes.count]) }
                        try await phone.sync(nodes[0])
                        return phone
                    }
                }
                var phones: [Phone] = []
                for try await phone in tasks { if let phone { phones.append(phone) } }
                var whole = Phone(usesTimes: false)
                try await whole.sync(nodes[0])
                #expect(whole.items.count == 50 * 4 - 50)
                for phone in phones {
                    #expect(phone.items == whole.items)
                    if !phone.usesTimes { #expect(Set(phone.comings.map(\.number)).count == phone.comings.count) }
                }
            }
        }
    }

    /// Four whispers, of which one is changed and one removed.
    private static func write(_ number: Int, _ nodes: [DatabaseStore]) async throws {
        for round in 0..<4 {
            let store = nodes[(number + round) % nodes.count]
            let made = try await LibraryContractTests.change(store, LibraryContractTests.whisper("\(number) \(round)"))
            let other = nodes[(number + round + 1) % nodes.count]
            if round == 1 {
                try await LibraryContractTests.change(other, LibraryContractTests.edit(.whisper, made.id, "new"))
            }
            if round == 2 { try await LibraryContractTests.change(other, .remove(.whisper, made.id, version: nil)) }
        }
    }

    @Test("have no more of one time than fit into one answer", arguments: Backend.allCases)
    func timesAreSmall(backend: Backend) async throws {
        try await LibraryContractTests.withPeople(backend) { store in
            let count = LibraryClock.changesPerSecondMax + 50
            for number in 0..<count {
                try await LibraryContractTests.change(store, LibraryContractTests.whisper("\(number)"))
            }
            var phone = Phone(usesTimes: true)
            try await phone.sync(store)
            #expect(phone.items.count == count)
            let times = Dictionary(grouping: phone.items.values, by: \.mark.at)
            #expect(times.count == 2 && times.values.allSatisfy { $0.count <= LibraryClock.changesPerSecondMax })
        }
    }

    @Test("say when deletions are not remembered any more", arguments: Backend.allCases)
    func forgetting(backend: Backend) async throws {
        var limits = StoreLimits.quick
        (limits.libraryTombstoneSecondsMax, limits.sweepMilliseconds) = (100, 10)
        let clock = TestClock(1_000)
        let scratch = try Scratch()
        let store = try backend.open(scratch, limits: limits, now: { clock.now })
        defer { store.close() }
        for name in ["ann", "bob"] {
            let person = NewPerson(id: name, name: name, email: "", passwordHash: nil, at: 10)
            let _: AccountHolder = try await told { store.addPerson(person, then: $0) }
        }
        let made = try await LibraryContractTests.change(store, LibraryContractTests.whisper("one"))
        let before = try await LibraryContractTests.changes(store, .whisper).end
        try await LibraryContractTests.change(store, .remove(.whisper, made.id, version: nil))
        #expect(try await !LibraryContractTests.changes(store, .whisper, after: before).forgets)
        clock.now = 2_000
        try await eventually("the deletion is forgotten") {
            try await LibraryContractTests.changes(store, .whisper, after: before).forgets
        }
        #expect(try await !LibraryContractTests.changes(store, .whisper).forgets)
        let end = try await LibraryContractTests.changes(store, .whisper).end
        #expect(try await !LibraryContractTests.changes(store, .whisper, after: end).forgets)
    }

    @Test("come from a file, which may be read again", arguments: Backend.allCases)
    func imports(backend: Backend) async throws {
        try await LibraryContractTests.withPeople(backend) { store in
            let text = """
                {"stories": [{"author": "ann", "title": "The Gate", "published": true, "summary": "s",
                    "chapters": [{"title": "One", "content": "c", "published": true}, {"title": "Two", "content": "d"}],
                    "whispers": [{"author": "bob", "content": "w"}]}]}
                """
            let report: LibraryImport.Report = try await told { store.importLibrary(Array(text.utf8), then: $0) }
            #expect((report.stories, report.chapters, report.whispers) == (1, 2, 1))
            let before = try await LibraryContractTests.changes(store, .story)
            #expect(before.items.map(\.slug) == ["the-gate"])
            #expect(try await LibraryContractTests.changes(store, .chapter).items.map(\.title) == ["One"])
            let again: LibraryImport.Report = try await told { store.importLibrary(Array(text.utf8), then: $0) }
            #expect((again.stories, again.whispers) == (1, 0))
            #expect(try await LibraryContractTests.changes(store, .story, after: before.end).items.isEmpty)
            for wrong in ["{}", #"{"stories": [{}]}"#, #"{"stories": [{"author": "nobody", "title": "x"}]}"#] {
                await #expect(throws: StoreError.self) {
                    let _: LibraryImport.Report = try await told {
                        store.importLibrary(Array(wrong.utf8), then: $0)
                    }
                }
            }
        }
    }
}
