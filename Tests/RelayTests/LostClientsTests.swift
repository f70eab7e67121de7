import Rooms
import Sessions
import Testing

@testable import Relay

@Suite("Lost clients")
struct LostClientsTests {
    private let start = ContinuousClock.now

    private func client(_ pid: SessionID, ends: Int64, opened: Int = 0) -> LostClient {
        LostClient(
            sid: nil, pid: pid, person: "ada", opened: start + .seconds(opened), rooms: [], endings: [],
            trail: Trail(), ends: ends
        )
    }

    private func claim(_ pid: SessionID, by person: String = "ada", opened: Int = 1) -> RecoveryClaim {
        RecoveryClaim(pid: pid, person: person, opened: start + .seconds(opened), offset: nil, shard: 0, number: 0)
    }

    @Test("Each is given once, to its person, within its time")
    func taking() {
        var lost = LostClients()
        let pid = SessionID(shard: 0)
        lost.keep(client(pid, ends: 100))
        #expect(lost.take(claim(SessionID(shard: 0)), at: 0) == nil)
        #expect(lost.take(claim(pid, by: "bob"), at: 0) == nil)
        #expect(lost.take(claim(pid), at: 100) == nil)
        #expect(lost.take(claim(pid), at: 99) != nil)
        #expect(lost.take(claim(pid), at: 99) == nil)
    }

    /// A connection that its client has given up may be served only after the next one was, and lost.
    @Test("A session gets nothing of one that was opened after it")
    func order() {
        var lost = LostClients()
        let pid = SessionID(shard: 0)
        lost.keep(client(pid, ends: 100, opened: 5))
        for opened in [0, 4, 5] { #expect(lost.take(claim(pid, opened: opened), at: 0) == nil) }
        #expect(lost.take(claim(pid, opened: 6), at: 0) != nil)
    }

    @Test("One that was lost again is not given up with its first time")
    func again() {
        var lost = LostClients()
        let pid = SessionID(shard: 0)
        lost.keep(client(pid, ends: 100))
        _ = lost.take(claim(pid), at: 0)
        lost.keep(client(pid, ends: 200))
        while lost.takeExpired(at: 150) != nil {}
        #expect(lost.count == 1 && lost.nextEnds == 200)
        while lost.takeExpired(at: 200) != nil {}
        #expect(lost.count == 0 && lost.nextEnds == nil)
    }

    @Test("There is a bounded number of them: those that were lost first go")
    func bounded() {
        var lost = LostClients()
        let pids = (0..<LostClients.clientsMax + 500).map { _ in SessionID(shard: 0) }
        for (number, pid) in pids.enumerated() { lost.keep(client(pid, ends: Int64(1_000 + number))) }
        #expect(lost.count == LostClients.clientsMax)
        #expect(lost.take(claim(pids[499]), at: 0) == nil && lost.take(claim(pids[500]), at: 0) != nil)
        // Clients that come and go do not pile up either.
        for round in 0..<100_000 {
            _ = lost.take(claim(pids[9_999]), at: 0)
            lost.keep(client(pids[9_999], ends: Int64(100_000 + round)))
        }
        #expect(lost.count <= LostClients.clientsMax && lost.take(claim(pids[9_999]), at: 0) != nil)
    }
}

@Suite("Clients that get offsets")
struct RecoveryOffsetsTests {
    @Test("By default web pages and clients that ask; the wish overrides the rule")
    func rules() {
        #expect(RecoveryOffsets.pages.areFor(wishes(asked: nil, isPage: true)))
        #expect(!RecoveryOffsets.pages.areFor(wishes(asked: nil, isPage: false)))
        #expect(!RecoveryOffsets.asked.areFor(wishes(asked: nil, isPage: true)))
        #expect(RecoveryOffsets.all.areFor(wishes(asked: nil, isPage: false)))
        for rule in RecoveryOffsets.allCases {
            #expect(rule.areFor(wishes(asked: true, isPage: false)))
            #expect(!rule.areFor(wishes(asked: false, isPage: true)))
        }
    }

    private func wishes(asked: Bool?, isPage: Bool) -> ConnectWishes {
        ConnectWishes(asksForOffsets: asked, isPage: isPage, tokenIsOfRequest: false)
    }
}
