import Testing

@testable import Store

/// Which node is home to a room, and what its fence is worth.
@Suite("Homes", .timeLimit(.minutes(1)))
struct HomeContractTests {
    static let one = ClusterNode(id: 1, boot: 1)
    static let two = ClusterNode(id: 2, boot: 1)

    func claim(_ store: DatabaseStore, _ node: ClusterNode, _ room: String = "r") async throws -> RoomClaim {
        try await told { store.claim(room, by: node, then: $0) }
    }

    func withDatabase(_ backend: Backend, _ body: (DatabaseStore) async throws -> Void) async throws {
        try await withStore(backend) { store in try await body(#require(store as? DatabaseStore)) }
    }

    func fence(_ claim: RoomClaim) throws -> Int64 {
        var found: Int64?
        if case .here(_, let fence) = claim { found = fence }
        return try #require(found, "\(claim)")
    }

    private func append(_ store: DatabaseStore, _ entries: [JournalEntry], _ fence: Int64) async throws -> UInt64 {
        try await told { store.append(entries, to: "r", fence: fence, then: $0) }
    }

    /// Leases are over only while a node vouches. The first one that begins does so at once.
    func live(
        _ store: DatabaseStore, _ nodes: ClusterNode..., lease: Int64 = 60_000, links: ClosedRange<Int> = 1...1
    ) async throws {
        for node in nodes {
            let begun: ClusterNode? = try await told {
                store.write(then: $0) { (database) throws(StoreError) in
                    try HomeTable(database).begin(node.id, version: "1", links: links, lease: lease)
                }
            }
            #expect(begun == node)
        }
    }

    @Test("A room has one home, as long as that lives", arguments: Backend.allCases)
    func oneHome(backend: Backend) async throws {
        try await withDatabase(backend) { store in
            try await live(store, Self.one, Self.two)
            let first = try await claim(store, Self.one)
            #expect(first == .here(nil, fence: try fence(first)))
            #expect(try await claim(store, Self.two) == .elsewhere(1))
            let _: Void = try await told {
                store.write(then: $0) { (database) throws(StoreError) in try HomeTable(database).end(Self.one) }
            }
            #expect(try await fence(claim(store, Self.two)) != fence(first))
            #expect(try await claim(store, Self.one) == .elsewhere(2))
        }
    }

    @Test(
        "A room that is claimed without having been given away begins an era; its elements keep theirs",
        arguments: Backend.allCases)
    func eras(backend: Backend) async throws {
        try await withDatabase(backend) { store in
            try await live(store, Self.one, Self.two)
            var log = SampleLog()
            let first = try await fence(claim(store, Self.one))
            _ = try await append(store, [log.created("e"), log.created("f")], first)
            try await told { store.release("r", fence: first, afterLoss: false, then: $0) }
            let given = try await claim(store, Self.two)
            #expect(eras(of: given) == [1, 1, 1])
            let _: Void = try await told {
                store.write(then: $0) { (database) throws(StoreError) in try HomeTable(database).end(Self.two) }
            }
            let second = try await claim(store, Self.one)
            #expect(eras(of: second) == [2, 1, 1])
            _ = try await append(store, [log.updated("f", content: "x", version: 2)], fence(second))
            let third = try await claim(store, Self.one)
            #expect(eras(of: third) == [3, 1, 2])
            let proof = try fence(third)
            try await told { store.release("r", fence: proof, afterLoss: true, then: $0) }
            #expect(try await eras(of: claim(store, Self.two)) == [4, 1, 2])
            try await told { store.countLoss(of: "r", then: $0) }
            #expect(try await store.loaded()?.era == 5)
        }
    }

    @Test("The first claim after a start of the database begins eras of all rooms: it may lack claims")
    func erasOfRestartedDatabase() async throws {
        let scratch = try Scratch()
        let store = try DatabaseStore(.postgres(PostgresServer.place(scratch.schema)), limits: .quick, node: 1)
        defer { store.close() }
        try await live(store, Self.one)
        var log = SampleLog()
        let first = try await fence(claim(store, Self.one))
        _ = try await append(store, [log.created("e")], first)
        try await told { store.release("r", fence: first, afterLoss: false, then: $0) }
        #expect(try await number(of: store) == 1)
        let _: Int = try await told {
            store.write(then: $0) { (database) throws(StoreError) in
                try database.run("UPDATE starts SET database_at = database_at - 1")
            }
        }
        let next = try await claim(store, Self.one)
        #expect(eras(of: next) == [1 + Int(StartTable.lostMax), 1])
        _ = try await claim(store, Self.one, "other")
        #expect(try await number(of: store) == 1 + StartTable.lostMax)
    }

    @Test("A node that enters a room again while much is being stored claims it after having given it away")
    func releaseBeforeClaim() async throws {
        let scratch = try Scratch()
        let store = try DatabaseStore(.postgres(PostgresServer.place(scratch.schema)), limits: .quick, node: 1)
        defer { store.close() }
        try await live(store, Self.one)
        var log = SampleLog()
        let first = try await fence(claim(store, Self.one))
        _ = try await append(store, [log.created("e")], first)
        let gate = Gate()
        defer { gate.open() }
        store.write(then: { (_: Result<Void, StoreError>) in }) { _ in gate.wait() }
        store.release("r", fence: first, afterLoss: false) { _ in }
        #expect(try await eras(of: claim(store, Self.one)) == [1, 1])
    }

    private func number(of store: DatabaseStore) async throws -> Int64? {
        try await told {
            store.write(then: $0) { (database) throws(StoreError) in
                try database.first("SELECT number FROM starts") { $0.int(0) }
            }
        }
    }

    /// That of the room, and those of its elements.
    private func eras(of claim: RoomClaim) -> [Int] {
        guard case .here(let room?, _) = claim else { return [] }
        return [room.era] + room.elements.map(\.element.era)
    }

    @Test("A store that is used again begins an era of each room, also at another place", arguments: Backend.lasting)
    func starts(backend: Backend) async throws {
        let (scratch, other) = (try Scratch(), try Scratch())
        for number in 1...3 {
            let store = try backend.open(scratch)
            defer { store.close() }
            var log = SampleLog(seq: UInt64(2 * number - 2))
            try await store.appended([log.created("e\(number)"), log.updated("e\(number)", content: "x", version: 2)])
            let room = try #require(try await store.loaded())
            #expect(room.era == number && room.elements.map(\.element.era) == Array(1...number))
        }
        let places = try [scratch, other].map { scratch in
            backend == .postgres
                ? DatabaseStore.Place.postgres(try PostgresServer.place(scratch.schema)) : .directory(scratch.path)
        }
        _ = try StoreMove.run(from: places[0], to: places[1]) { () throws(StoreError) in }
        let store = try backend.open(other)
        defer { store.close() }
        let room = try #require(try await store.loaded())
        #expect(room.era == 4 && room.elements.map(\.element.era) == [1, 2, 3])
    }

    @Test("A node that was started anew has lost the rooms of its earlier life", arguments: Backend.allCases)
    func newLife(backend: Backend) async throws {
        try await withDatabase(backend) { store in
            try await live(store, ClusterNode(id: 1, boot: 1), lease: 0)
            _ = try await claim(store, Self.one)
            try await live(store, ClusterNode(id: 1, boot: 2), Self.two)
            _ = try await fence(claim(store, Self.two))
        }
    }

    @Test("Two processes do not live under one number", arguments: Backend.allCases)
    func oneNumber(backend: Backend) async throws {
        try await withDatabase(backend) { store in
            try await live(store, Self.one)
            let other: ClusterNode? = try await told {
                store.write(then: $0) { (database) throws(StoreError) in
                    try HomeTable(database).begin(1, version: "1", links: 1...1, lease: 1_000)
                }
            }
            #expect(other == nil)
            let living: [Int: ClosedRange<Int>]? = try await told {
                store.write(then: $0) { (database) throws(StoreError) in
                    try HomeTable(database).renew(Self.one, lease: 1_000, report: nil)?.living
                }
            }
            #expect(living == [1: 1...1])
            let later: [Int: ClosedRange<Int>]? = try await told {
                store.write(then: $0) { (database) throws(StoreError) in
                    try HomeTable(database).renew(ClusterNode(id: 1, boot: 2), lease: 1_000, report: nil)?.living
                }
            }
            #expect(later == nil)
        }
    }

    @Test("What an earlier home appends is refused, and what it has stored already counts", arguments: Backend.allCases)
    func fences(backend: Backend) async throws {
        try await withDatabase(backend) { store in
            try await live(store, Self.two)
            try await live(store, Self.one, lease: 0)
            var log = SampleLog()
            let (first, second, third) = (log.created("a"), log.created("b"), log.created("c"))
            let old = try await fence(claim(store, Self.one))
            #expect(try await append(store, [first], old) == 1)
            let next = try await claim(store, Self.two)
            let new = try fence(next)
            guard case .here(let room?, _) = next else {
                Issue.record("there is no room")
                return
            }
            #expect(room.seq == 1 && room.elements.map(\.element.id) == ["a"])
            await #expect(throws: StoreError.notHome) { _ = try await append(store, [second], old) }
            await #expect(throws: StoreError.notHome) { _ = try await append(store, [first, second], old) }
            #expect(try await append(store, [first], old) == 1)
            #expect(try await append(store, [second, third], new) == 3)
        }
    }

    @Test("A home appends after others in one group, and a refused one disturbs none", arguments: Backend.allCases)
    func groups(backend: Backend) async throws {
        try await withDatabase(backend) { store in
            var logs = (0..<8).map { _ in SampleLog() }
            var fences: [Int64] = []
            for room in 0..<8 { fences.append(try await fence(claim(store, Self.one, "r\(room)"))) }
            // The third has another home by now.
            _ = try await fence(claim(store, Self.one, "r3"))
            let appends = (0..<8).map { (room: "r\($0)", entries: [logs[$0].created("a")], fence: fences[$0]) }
            let results = await withTaskGroup(of: (Int, Result<UInt64, StoreError>).self) { group in
                for (room, append) in appends.enumerated() {
                    group.addTask {
                        await withCheckedContinuation { continuation in
                            store.append(append.entries, to: append.room, fence: append.fence) {
                                continuation.resume(returning: (room, $0))
                            }
                        }
                    }
                }
                return await group.reduce(into: [:]) { $0[$1.0] = $1.1 }
            }
            for room in 0..<8 { #expect(results[room] == (room == 3 ? .failure(.notHome) : .success(1))) }
        }
    }

    @Test("A room that was released has no home", arguments: Backend.allCases)
    func release(backend: Backend) async throws {
        try await withDatabase(backend) { store in
            try await live(store, Self.one, Self.two)
            let old = try await fence(claim(store, Self.one))
            let _: Void = try await told { store.release("r", fence: old + 1, afterLoss: false, then: $0) }
            #expect(try await claim(store, Self.two) == .elsewhere(1))
            let _: Void = try await told { store.release("r", fence: old, afterLoss: false, then: $0) }
            _ = try await fence(claim(store, Self.two))
        }
    }
}
