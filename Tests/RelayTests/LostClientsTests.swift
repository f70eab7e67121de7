import Rooms
import Sessions
import Testing

@testable import Relay

@Suite("Lost clients")
struct LostClientsTests {
    private func client(_ pid: SessionID, ends: Int64, person: String = "ada") -> LostClient {
        LostClient(sid: "sid", pid: pid, person: person, rooms: [], trail: Trail(), ends: ends)
    }

    @Test("Each is given once, to its person, within its time")
    func taking() {
        var lost = LostClients()
        let pid = SessionID(shard: 0)
        lost.keep(client(pid, ends: 100))
        #expect(lost.take(SessionID(shard: 0), by: "ada", at: 0) == nil)
        #expect(lost.take(pid, by: "bob", at: 0) == nil)
        #expect(lost.take(pid, by: "ada", at: 100) == nil)
        #expect(lost.take(pid, by: "ada", at: 99) != nil)
        #expect(lost.take(pid, by: "ada", at: 99) == nil)
    }

    @Test("One that was lost again is not given up with its first time")
    func again() {
        var lost = LostClients()
        let pid = SessionID(shard: 0)
        lost.keep(client(pid, ends: 100))
        _ = lost.take(pid, by: "ada", at: 0)
        lost.keep(client(pid, ends: 200))
        lost.expire(at: 150)
        #expect(lost.count == 1 && lost.nextEnds == 200)
        lost.expire(at: 200)
        #expect(lost.count == 0 && lost.nextEnds == nil)
    }

    @Test("There is a bounded number of them: those that were lost first go")
    func bounded() {
        var lost = LostClients()
        let pids = (0..<LostClients.clientsMax + 500).map { _ in SessionID(shard: 0) }
        for (number, pid) in pids.enumerated() { lost.keep(client(pid, ends: Int64(1_000 + number))) }
        #expect(lost.count == LostClients.clientsMax)
        #expect(lost.take(pids[499], by: "ada", at: 0) == nil && lost.take(pids[500], by: "ada", at: 0) != nil)
        // Those who come and go do not pile up either.
        for round in 0..<100_000 {
            _ = lost.take(pids[9_999], by: "ada", at: 0)
            lost.keep(client(pids[9_999], ends: Int64(100_000 + round)))
        }
        #expect(lost.count <= LostClients.clientsMax && lost.take(pids[9_999], by: "ada", at: 0) != nil)
    }
}

@Suite("Who gets offsets")
struct RecoveryOffsetsTests {
    @Test("By default web pages and who asks; the wish goes before the rule")
    func rules() {
        let page = "Mozilla/5.0 (X11; Linux x86_64)"
        #expect(RecoveryOffsets.pages.areFor(asked: nil, userAgent: page))
        #expect(!RecoveryOffsets.pages.areFor(asked: nil, userAgent: "python-aiohttp/3"))
        #expect(!RecoveryOffsets.pages.areFor(asked: nil, userAgent: nil))
        #expect(!RecoveryOffsets.asked.areFor(asked: nil, userAgent: page))
        #expect(RecoveryOffsets.all.areFor(asked: nil, userAgent: nil))
        for rule in RecoveryOffsets.allCases {
            #expect(rule.areFor(asked: true, userAgent: nil) && !rule.areFor(asked: false, userAgent: page))
        }
    }
}
