import Rooms
import Testing

@testable import Store

/// The promises of every store about the presence of users.
@Suite("The participants of a room", .timeLimit(.minutes(1)))
struct SeatContractTests {
    private func entry(_ seq: UInt64, _ effect: LogRecord.Effect, incarnation: UInt64 = 7) -> JournalEntry {
        JournalEntry(
            seq: seq, kind: "x", json: Array("{}".utf8), at: 1_000_000, effect: effect, incarnation: incarnation)
    }

    @Test("are the users who have joined and not left", arguments: Backend.allCases)
    func present(backend: Backend) async throws {
        try await withStore(backend) { store in
            try await store.appended([entry(1, .came("a")), entry(2, .came("b")), entry(3, .came("a"))])
            #expect(try await store.loaded()?.present.map(\.id).sorted() == ["a", "b"])
            try await store.appended([entry(4, .left("a")), entry(5, .left("nobody"))])
            #expect(try await store.loaded()?.present.map(\.id) == ["b"])
            try await store.appended([entry(6, .came("c")), entry(7, .closed)])
            #expect(try await store.loaded()?.present == [])
        }
    }

    @Test("is told with the incarnation of each entry", arguments: Backend.allCases)
    func incarnations(backend: Backend) async throws {
        try await withStore(backend) { store in
            try await store.appended([entry(1, .none), entry(2, .none, incarnation: 1 << 48 - 1)])
            #expect(try await store.loaded()?.entries.map(\.incarnation) == [7, 1 << 48 - 1])
        }
    }

    @Test("connections have seats until they leave, and for a while after they were lost", arguments: Backend.allCases)
    func seats(backend: Backend) async throws {
        let clock = TestClock(1_000)
        try await withStore(backend, now: { clock.now }) { store in
            func seats(_ pid: String, within seconds: Int64 = 60) async throws -> [Seat] {
                try await told { store.seats(of: pid, within: seconds, then: $0) }
            }
            let kitchen = Seat(pid: "p", person: "ann", room: "kitchen", incarnation: 1)
            let hall = Seat(pid: "p", person: "ann", room: "hall", incarnation: 2)
            for seat in [kitchen, hall, Seat(pid: "q", person: "bob", room: "hall", incarnation: 2)] { store.sit(seat) }
            // A connection that is not lost cannot be claimed.
            #expect(try await seats("p") == [])
            store.lose("p")
            let lost = try await seats("p")
            #expect(Set(lost.map(\.room)) == ["kitchen", "hall"])
            #expect(try await seats("q") == [])
            #expect(try await seats("r") == [])
            clock.now = 1_061
            #expect(try await seats("p") == [])
            store.sit(Seat(pid: "p", person: "ann", room: "hall", incarnation: 3))
            store.stand("p", in: "kitchen") { _ in }
            store.lose("p")
            #expect(try await seats("p") == [Seat(pid: "p", person: "ann", room: "hall", incarnation: 3)])
            store.stand("p", in: nil) { _ in }
            #expect(try await seats("p") == [])
        }
    }

    @Test("are not taken from a client that has come back to another node, by the node that it had before")
    func nodes() async throws {
        let scratch = try Scratch()
        let place = DatabaseStore.Place.postgres(try PostgresServer.place(scratch.schema))
        let stores = try (1...2).map { try DatabaseStore(place, limits: .quick, node: $0) }
        defer { for store in stores { store.close() } }
        func seats() async throws -> [String] {
            let seats: [Seat] = try await told { stores[0].seats(of: "p", within: 60, then: $0) }
            return seats.map(\.room).sorted()
        }
        for room in ["hall", "kitchen"] {
            stores[0].sit(Seat(pid: "p", person: "ann", room: room, incarnation: 2))
        }
        stores[0].lose("p")
        #expect(try await seats() == ["hall", "kitchen"])
        // The first node was frozen meanwhile, and does late what it had begun.
        stores[1].sit(Seat(pid: "p", person: "ann", room: "hall", incarnation: 2))
        let _: Void = try await told { stores[1].stand("p", in: "cellar", then: $0) }
        stores[0].lose("p")
        stores[0].sit(Seat(pid: "p", person: "ann", room: "hall", incarnation: 1), .weak)
        let _: Void = try await told { stores[0].stand("p", in: nil, then: $0) }
        stores[1].lose("p")
        let _: Void = try await told { stores[1].stand("p", in: "cellar", then: $0) }
        #expect(try await seats() == ["hall"])
        // A seat that is lost is free for all nodes.
        stores[0].sit(Seat(pid: "p", person: "ann", room: "hall", incarnation: 2), .weak)
        let _: Void = try await told { stores[0].stand("p", in: "cellar", then: $0) }
        #expect(try await seats() == [])
        stores[1].lose("p")
        stores[0].lose("p")
        let _: Void = try await told { stores[0].stand("p", in: "cellar", then: $0) }
        #expect(try await seats() == ["hall"])
    }

    @Test("are not taken by what a node had begun before its lease was over, whenever it does it")
    func lateSeats() async throws {
        let scratch = try Scratch()
        let place = DatabaseStore.Place.postgres(try PostgresServer.place(scratch.schema))
        let stores = try (1...2).map { try DatabaseStore(place, limits: .quick, node: $0) }
        defer { for store in stores { store.close() } }
        func table<Value: Sendable>(
            _ body: @escaping @Sendable (HomeTable) throws(StoreError) -> Value
        ) async throws -> Value {
            try await told {
                stores[1].write(then: $0) { (database) throws(StoreError) in try body(HomeTable(database)) }
            }
        }
        let node = try #require(
            try await table { (table) throws(StoreError) in
                try table.begin(1, version: "1", links: 1...1, lease: 60_000)
            })
        _ = try await table { (table) throws(StoreError) in
            try table.begin(2, version: "1", links: 1...1, lease: 60_000)
        }
        let seat = Seat(pid: "p", person: "ann", room: "hall", incarnation: 2)
        func owner(after claim: SeatClaim) async throws -> Int64? {
            stores[1].sit(seat)
            let _: Void = try await told { stores[1].stand("q", in: nil, then: $0) }
            stores[0].sit(seat, claim)
            let _: Void = try await told { stores[0].stand("q", in: nil, then: $0) }
            return try await told {
                stores[0].readAfterWrites(then: $0) { (database) throws(StoreError) in
                    try database.first("SELECT node FROM seats") { $0.int(0) }
                }
            }
        }
        #expect(try await owner(after: .under(boot: node.boot, lapses: 0)) == 1)
        #expect(try await owner(after: .under(boot: node.boot - 1, lapses: 0)) == 2)
        #expect(try await owner(after: .weak) == 2)
        // The lease ends, and the others notice.
        let lapses = try await table { (table) throws(StoreError) in
            _ = try table.renew(node, lease: 0, report: nil)
            try table.loseSeatsOfEnded(at: 1_000)
            return try table.renew(node, lease: 60_000, report: nil)?.lapses
        }
        #expect(lapses == 1)
        #expect(try await owner(after: .under(boot: node.boot, lapses: 0)) == 2)
        #expect(try await owner(after: .under(boot: node.boot, lapses: 1)) == 1)
        _ = try await table { (table) throws(StoreError) in
            _ = try table.renew(node, lease: 0, report: nil)
            try table.loseSeatsOfEnded(at: 1_000)
        }
        #expect(try await owner(after: .under(boot: node.boot, lapses: 1)) == 2)
    }

    @Test(
        "is known of all rooms of a connection, also when the server ended while it came back",
        arguments: Backend.lasting)
    func halfWay(backend: Backend) async throws {
        let scratch = try Scratch()
        let clock = TestClock(1_000)
        do {
            let store = try backend.open(scratch, now: { clock.now })
            for room in ["hall", "kitchen"] { store.sit(Seat(pid: "p", person: "ann", room: room, incarnation: 2)) }
            store.lose("p")
            clock.now = 1_030
            // The kitchen has not answered yet.
            store.sit(Seat(pid: "p", person: "ann", room: "hall", incarnation: 2))
            let seats: [Seat] = try await told { store.seats(of: "p", within: 60, then: $0) }
            #expect(seats == [])
            clock.now = 1_090
            store.close()
        }
        let store = try backend.open(scratch, now: { clock.now })
        defer { store.close() }
        let found: [Seat] = try await told { store.seats(of: "p", within: 60, then: $0) }
        #expect(Set(found.map(\.room)) == ["hall", "kitchen"])
    }

    @Test(
        "are given with the incarnation that the client has seen last, if the log has that entry",
        arguments: Backend.allCases)
    func incarnationsSeen(backend: Backend) async throws {
        try await withStore(backend) { store in
            try await store.appended([entry(1, .came("ann"), incarnation: 7), entry(2, .none, incarnation: 8)])
            for (room, incarnation) in [("r", 9), ("hall", 3)] as [(String, UInt64)] {
                store.sit(Seat(pid: "p", person: "ann", room: room, incarnation: incarnation))
            }
            store.lose("p")
            func incarnation(_ room: String, showing offset: LogOffset?) async throws -> UInt64? {
                let seats: [Seat] = try await told { store.seats(of: "p", showing: offset, within: 60, then: $0) }
                #expect(seats.count == 2)
                return seats.first { $0.room == room }?.incarnation
            }
            #expect(try await incarnation("r", showing: LogOffset(seq: 1, incarnation: 7, membership: 5)) == 7)
            #expect(try await incarnation("r", showing: LogOffset(seq: 2, incarnation: 8)) == 8)
            #expect(try await incarnation("r", showing: LogOffset(seq: 2, incarnation: 7)) == 9)
            #expect(try await incarnation("r", showing: nil) == 9)
            #expect(try await incarnation("hall", showing: LogOffset(seq: 1, incarnation: 7)) == 3)
        }
    }

    @Test("with a server all its connections are lost, and given up in the end", arguments: Backend.lasting)
    func restart(backend: Backend) async throws {
        let scratch = try Scratch()
        let clock = TestClock(1_000)
        let seat = Seat(pid: "p", person: "ann", room: "hall", incarnation: 2)
        do {
            let store = try backend.open(scratch, now: { clock.now })
            store.sit(seat)
            store.close()
        }
        clock.now = 2_000
        var limits = StoreLimits.quick
        limits.lostSeatSecondsMax = 100
        limits.sweepMilliseconds = 10
        let store = try backend.open(scratch, limits: limits, now: { clock.now })
        defer { store.close() }
        let found: [Seat] = try await told { store.seats(of: "p", within: 0, then: $0) }
        #expect(found == [seat])
        clock.now = 2_101
        try await eventually("it is never given up") {
            let rows: Int64? = try await told { answer in
                store.read(then: answer) { (database) throws(StoreError) in
                    try database.first("SELECT count(*) FROM seats") { $0.int(0) }
                }
            }
            return rows == 0
        }
    }
}
