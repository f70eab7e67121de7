import Testing
import Threads

@testable import Store

/// Which nodes live, and what they say of themselves.
extension HomeContractTests {
    @Test(
        "A node learns which versions of messages the others speak, in their newest lives", arguments: Backend.allCases)
    func versions(backend: Backend) async throws {
        try await withDatabase(backend) { store in
            try await live(store, Self.one)
            try await live(store, Self.two, lease: 0, links: 1...2)
            try await live(store, ClusterNode(id: 2, boot: 2), links: 2...3)
            let living: [Int: ClosedRange<Int>]? = try await told {
                store.write(then: $0) { (database) throws(StoreError) in
                    try HomeTable(database).renew(Self.one, lease: 1_000, report: nil)?.living
                }
            }
            #expect(living == [1: 1...1, 2: 2...3])
            let nodes = try await told { store.nodes(then: $0) }
            #expect(nodes.map(\.linkVersions) == [1...1, 2...3])
        }
    }

    @Test("What a node says of itself is read by all, and it learns that it shall drain", arguments: Backend.allCases)
    func reports(backend: Backend) async throws {
        try await withDatabase(backend) { store in
            try await live(store, Self.one)
            try await live(store, Self.two, lease: 0)
            let isTold: Bool? = try await told {
                store.write(then: $0) { (database) throws(StoreError) in
                    let table = HomeTable(database)
                    _ = try table.renew(Self.one, lease: 60_000, report: "{\"rooms\":7}")
                    // The newest report stays when there is none.
                    _ = try table.renew(Self.one, lease: 60_000, report: nil)
                    let (one, two) = (try table.drain(1), try table.drain(2))
                    let renewal = try table.renew(Self.one, lease: 60_000, report: nil)
                    return one && !two && renewal?.isDraining == true
                }
            }
            #expect(isTold == true)
            let nodes = try await told { store.nodes(then: $0) }
            #expect(nodes.map(\.node) == [Self.one, Self.two] && nodes.map(\.isAlive) == [true, false])
            #expect(nodes.map(\.isDraining) == [true, false] && nodes.map(\.report) == ["{\"rooms\":7}", ""])
        }
    }

    @Test(
        "While the database was away no lease is over, until the others could renew theirs",
        arguments: Backend.allCases)
    func away(backend: Backend) async throws {
        try await withDatabase(backend) { store in
            func change(_ sql: StaticString) async throws {
                let _: Int = try await told {
                    store.write(then: $0) { (database) throws(StoreError) in try database.run(sql) }
                }
            }
            func renewed() async throws -> [Int]? {
                try await told {
                    store.write(then: $0) { (database) throws(StoreError) in
                        try HomeTable(database).renew(Self.one, lease: 60_000, report: nil)?.living.keys.sorted()
                    }
                }
            }
            try await live(store, Self.one, Self.two)
            _ = try await fence(claim(store, Self.two))
            // As if nobody had renewed a lease for 61 seconds.
            try await change("UPDATE nodes SET lease_until = lease_until - 61000")
            #expect(try await claim(store, Self.one) == .elsewhere(2))
            for _ in 0..<2 { #expect(try await renewed() == [1, 2]) }
            #expect(try await claim(store, Self.one) == .elsewhere(2))
            // The first has renewed its own for the time of a lease since.
            try await change("UPDATE nodes SET renewing_since = renewing_since - 3000 WHERE id = 1")
            _ = try await fence(claim(store, Self.one))
        }
    }

    @Test("A node learns that its lease was ended while it renewed it")
    func endedMeanwhile() async throws {
        let scratch = try Scratch()
        let place = try PostgresServer.place(scratch.schema)
        // One waits for the other here: that is what is tested.
        var limits = StoreLimits.quick
        limits.lockMillisecondsMax = 30_000
        let (store, other) = (
            try DatabaseStore(.postgres(place), limits: limits, node: 1),
            try DatabaseStore(.postgres(place), limits: limits, node: 2)
        )
        defer { for store in [store, other] { store.close() } }
        try await live(store, Self.one, Self.two)
        let isBegun = Locked(false)
        async let lapses: Int? = told {
            store.write(then: $0) { (database) throws(StoreError) in
                while !isBegun.withLock({ $0 }) { Clock.sleep(milliseconds: 1) }
                return try HomeTable(database).renew(Self.one, lease: 60_000, report: nil)?.lapses
            }
        }
        let isAwaited = try await told {
            other.write(then: $0) { (database) throws(StoreError) in
                try database.run("UPDATE nodes SET draining = 0 WHERE id = 1")
                isBegun.withLock { $0 = true }
                let waiting: StaticString =
                    "SELECT 1 FROM pg_locks WHERE NOT granted AND pg_backend_pid() = ANY(pg_blocking_pids(pid)) LIMIT 1"
                let time = Elapsed()
                var isAwaited = false
                while !isAwaited, time.milliseconds < 20_000 {
                    Clock.sleep(milliseconds: 1)
                    isAwaited = try database.first(waiting) { _ in true } == true
                }
                // Later than the renewal would have read the clock before it waited.
                Clock.sleep(milliseconds: 10)
                try database.run("UPDATE nodes SET lease_until = $1 WHERE id = 1", .int(try database.milliseconds()))
                return isAwaited
            }
        }
        #expect(try await lapses == 1 && isAwaited)
    }

    @Test("An operator's question waits until the nodes could renew their leases")
    func question() async throws {
        let scratch = try Scratch()
        let place = try PostgresServer.place(scratch.schema)
        let store = try DatabaseStore(.postgres(place), limits: .quick, node: 1)
        defer { store.close() }
        try await live(store, Self.one, Self.two)
        let _: Int = try await told {
            store.write(then: $0) { (database) throws(StoreError) in
                try database.run("UPDATE nodes SET lease_until = 1")
            }
        }
        // The tool finds both leases over. The first node lives.
        async let outcomes = [NodeForgetting](
            Task.detached { try [2, 1].map { try ClusterTool(place).forget($0) } }.value)
        let _: Bool = try await told {
            store.write(then: $0) { (database) throws(StoreError) in
                try HomeTable(database).renew(Self.one, lease: 60_000, report: nil) != nil
            }
        }
        #expect(try await outcomes == [.forgotten, .lives])
    }

    @Test("A lease from before the database was away proves nothing of the others", arguments: Backend.allCases)
    func spread(backend: Backend) async throws {
        try await withDatabase(backend) { store in
            let third = ClusterNode(id: 3, boot: 1)
            try await live(store, Self.one, Self.two, third, lease: 3_000)
            // As if their newest renewals were 3.1, 2.7 and 2.3 seconds ago, at the end of an absence.
            let _: Void = try await told {
                store.write(then: $0) { (database) throws(StoreError) in
                    try database.run(
                        "UPDATE nodes SET lease_until = $1 + 400 * id", .int(try database.milliseconds() - 500))
                    let renewal = try HomeTable(database).renew(Self.two, lease: 3_000, report: nil)
                    #expect(renewal?.living.keys.sorted() == [1, 2, 3])
                    try HomeTable(database).loseSeatsOfEnded(at: 1_000)
                    #expect(try database.first("SELECT 1 FROM nodes WHERE ended_at IS NOT NULL") { _ in true } == nil)
                }
            }
        }
    }

    @Test("A node that is not heard loses its lease only if it has not renewed it either", arguments: Backend.allCases)
    func silence(backend: Backend) async throws {
        try await withDatabase(backend) { store in
            // The first node's newest renewal is this old when the others report that they do not hear it.
            func endSilent(renewedBefore milliseconds: Int64) async throws -> Bool {
                try await told {
                    store.write(then: $0) { (database) throws(StoreError) in
                        let table = HomeTable(database)
                        try database.run(
                            "UPDATE nodes SET lease_until = $1 WHERE id = 1",
                            .int(try database.milliseconds() + HomeTable.leaseMilliseconds - milliseconds))
                        let isEnded = try table.endSilent([1, 7])
                        // A long lease, so that the claim below finds it.
                        if !isEnded { _ = try table.renew(Self.one, lease: 60_000, report: nil) }
                        return isEnded
                    }
                }
            }
            try await live(store, Self.one, Self.two)
            _ = try await claim(store, Self.one)
            #expect(try await !endSilent(renewedBefore: HomeTable.silenceMilliseconds / 2))
            #expect(try await claim(store, Self.two) == .elsewhere(1))
            #expect(try await endSilent(renewedBefore: HomeTable.silenceMilliseconds + 1))
            _ = try await fence(claim(store, Self.two))
        }
    }

    @Test("The clients of a node that has ended may come back to others", arguments: Backend.allCases)
    func seatsOfEnded(backend: Backend) async throws {
        try await withDatabase(backend) { store in
            // The first is of an earlier life of this node, the second of another node.
            let seat = Seat(pid: "pid", person: "ann", room: "r", incarnation: 1)
            store.sit(seat)
            let _: Void = try await told {
                store.write(then: $0) { (database) throws(StoreError) in
                    try database.run("UPDATE seats SET node = 1")
                    try database.run(
                        "INSERT INTO seats (pid, room, person, incarnation, node) VALUES ('other', 'r', 'bob', 1, 2)")
                }
            }
            try await live(store, Self.two)
            try await live(store, Self.one, lease: 0)
            for _ in 0..<2 {
                let _: Void = try await told {
                    store.write(then: $0) { (database) throws(StoreError) in
                        try HomeTable(database).loseSeatsOfEnded(at: 1_000_000)
                    }
                }
            }
            let lost: [Seat] = try await told { store.seats(of: "pid", within: 60, then: $0) }
            let kept: [Seat] = try await told { store.seats(of: "other", within: 60, then: $0) }
            #expect(lost == [seat] && kept == [])
        }
    }

    @Test("A node that has ended is forgotten until it starts again, in a new life", arguments: Backend.allCases)
    func forgotten(backend: Backend) async throws {
        try await withDatabase(backend) { store in
            try await live(store, Self.one)
            try await live(store, Self.two)
            let end: ([ClusterNode]) async throws -> Void = { nodes in
                try await told {
                    store.write(then: $0) { (database) throws(StoreError) in
                        for node in nodes { try HomeTable(database).end(node) }
                    }
                }
            }
            try await end([Self.two])
            let outcomes: [NodeForgetting] = try await told {
                store.write(then: $0) { (database) throws(StoreError) in
                    let table = HomeTable(database)
                    return [
                        try table.forget(1), try table.forget(2), try table.forget(2), try table.forget(3),
                    ]
                }
            }
            #expect(outcomes == [.lives, .forgotten, .unknown, .unknown])
            #expect(try await told { store.nodes(then: $0) }.map(\.node) == [Self.one])
            // The end of a process that was taken for dead does not bring the node back.
            try await end([Self.two])
            #expect(try await told { store.nodes(then: $0) }.map(\.node) == [Self.one])
            // Rooms remember the life in which a node was their home, so no number of a life comes twice.
            try await live(store, ClusterNode(id: 2, boot: 2))
            #expect(try await told { store.nodes(then: $0) }.map(\.node.boot) == [1, 2])
        }
    }
}
