import Testing

@testable import Store

/// What every store promises of moods.
@Suite("Moods", .timeLimit(.minutes(1)))
struct MoodContractTests {
    private func withAnn(
        _ backend: Backend, _ limits: StoreLimits = .quick, _ body: (any ServerStore) async throws -> Void
    ) async throws {
        try await withStore(backend, limits: limits) { store in
            for name in ["ann", "bob"] {
                let person = NewPerson(id: name, name: name, email: "", passwordHash: nil, at: 10)
                let _: AccountHolder = try await told { store.addPerson(person, then: $0) }
            }
            try await body(store)
        }
    }

    private func mood(
        _ id: String, _ scale: Int = 5, _ note: String? = nil, of person: String = "ann", feltAt: Int64 = 50
    ) -> Mood {
        Mood(id: id, person: person, scale: scale, note: note, feltAt: feltAt, createdAt: 60, updatedAt: 60)
    }

    private func add(
        _ mood: Mood, to store: any ServerStore, comparesTime: Bool = true
    ) async throws -> (mood: Mood, isNew: Bool) {
        try await told { store.addMood(mood, comparesTime: comparesTime, by: nil, then: $0) }
    }

    @Test("are noted once under an id", arguments: Backend.allCases)
    func once(backend: Backend) async throws {
        try await withAnn(backend) { store in
            let noted = mood("m", 7, "Söhne & \"Töchter\"\n")
            let first = try await add(noted, to: store)
            #expect(first.mood == noted && first.isNew)
            let again = try await add(noted, to: store)
            #expect(again.mood == noted && !again.isNew)
            await #expect(throws: StoreError.conflict("Another mood has this id.")) {
                _ = try await add(mood("m", 8, "Söhne & \"Töchter\"\n"), to: store)
            }
            // The time may be the server's, which is another one at the second request.
            let later = try await add(mood("m", 7, "Söhne & \"Töchter\"\n", feltAt: 51), to: store, comparesTime: false)
            #expect(later.mood == noted && !later.isNew)
            await #expect(throws: StoreError.conflict("Another mood has this id.")) {
                _ = try await add(mood("m", 7, "Söhne & \"Töchter\"\n", feltAt: 51), to: store)
            }
            // Ids are a person's own.
            #expect(try await add(mood("m", of: "bob"), to: store).isNew)
            #expect(try await told { store.mood("m", of: "ann", then: $0) } == noted)
            await #expect(throws: StoreError.notFound("user")) {
                _ = try await add(mood("m", of: "nobody"), to: store)
            }
        }
    }

    @Test("are listed by the time at which they were felt, page by page", arguments: Backend.allCases)
    func listed(backend: Backend) async throws {
        try await withAnn(backend) { store in
            for (id, at) in [("a", Int64(30)), ("b", 20), ("c", 30), ("d", -5), ("e", 40)] {
                _ = try await add(mood(id, feltAt: at), to: store)
            }
            _ = try await add(mood("z", of: "bob"), to: store)
            func list(_ period: ClosedRange<Int64> = .min ... .max, limit: Int = 10) async throws -> [[String]] {
                var (pages, request) = ([[String]](), PageRequest(limit: limit))
                repeat {
                    let page = try await told { store.moods(of: "ann", in: period, request, then: $0) }
                    pages.append(page.items.map(\.id))
                    request.cursor = page.next
                } while request.cursor != nil
                return pages
            }
            #expect(try await list() == [["e", "c", "a", "b", "d"]])
            #expect(try await list(limit: 2) == [["e", "c"], ["a", "b"], ["d"]])
            #expect(try await list(20...30, limit: 1) == [["c"], ["a"], ["b"]])
            #expect(try await list(41...50) == [[]])
            for cursor in ["", "x", "1", "x.a", "1.\u{7f}"] {
                await #expect(throws: StoreError.badCursor, "\(cursor)") {
                    let request = PageRequest(limit: 1, cursor: cursor)
                    _ = try await told { store.moods(of: "ann", in: 0...1, request, then: $0) }
                }
            }
        }
    }

    @Test("are changed and removed by their person alone", arguments: Backend.allCases)
    func changed(backend: Backend) async throws {
        try await withAnn(backend) { store in
            _ = try await add(mood("m", 7, "note"), to: store)
            func change(
                _ scale: Int? = nil, _ note: String? = nil, feltAt: Int64? = nil, of person: String = "ann"
            ) async throws -> Mood? {
                let change = MoodChange(scale: scale, note: note, feltAt: feltAt)
                return try await told { store.changeMood("m", of: person, change, by: nil, at: 70, then: $0) }
            }
            #expect(try await change(1, of: "bob") == nil)
            let first = try await change(2, feltAt: 40)
            #expect(first?.scale == 2 && first?.note == "note" && first?.feltAt == 40 && first?.updatedAt == 70)
            #expect(try await change(nil, "")?.note == nil)
            #expect(try await told { store.removeMood("m", of: "bob", by: nil, then: $0) } == false)
            #expect(try await told { store.removeMood("m", of: "ann", by: nil, then: $0) })
            #expect(try await told { store.mood("m", of: "ann", then: $0) } == nil)
        }
    }

    @Test("are bounded for each person", arguments: Backend.allCases)
    func bounded(backend: Backend) async throws {
        var limits = StoreLimits.quick
        limits.moodsMax = 2
        try await withAnn(backend, limits) { store in
            for id in ["a", "b"] { _ = try await add(mood(id), to: store) }
            await #expect(throws: StoreError.conflict("A person has at most 2 moods.")) {
                _ = try await add(mood("c"), to: store)
            }
            // Those that are there may be sent again.
            #expect(try await !add(mood("b"), to: store).isNew)
            #expect(try await add(mood("c", of: "bob"), to: store).isNew)
        }
    }

    @Test("go with their person, a part at a time", arguments: Backend.allCases)
    func swept(backend: Backend) async throws {
        var limits = StoreLimits.quick
        limits.sweepMilliseconds = 20
        try await withAnn(backend, limits) { store in
            for number in 0..<1_200 { _ = try await add(mood("m\(number)"), to: store) }
            _ = try await add(mood("kept", of: "bob"), to: store)
            #expect(try await told { store.removePerson("ann", at: 20, then: $0) }.rooms == [])
            try await eventually("moods are left") {
                try await told { store.moods(of: "ann", in: 0...100, PageRequest(limit: 1), then: $0) }.items.isEmpty
            }
            #expect(try await told { store.mood("kept", of: "bob", then: $0) } != nil)
        }
    }
}
