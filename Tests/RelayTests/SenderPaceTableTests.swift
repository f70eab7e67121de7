import Testing
import Transport

@testable import Relay

@Suite struct SenderPaceTableTests {
    @Test func allConnectionsOfOneShareAMeter() {
        let table = SenderPaceTable<String>()
        let (one, two, other) = (table.fetch("a", now: 0), table.fetch("a", now: 0), table.fetch("b", now: 0))
        #expect(one === two && one !== other)
        #expect(table.count == 2)
    }

    @Test func leavingAndComingBackGivesNoNewOne() {
        let table = SenderPaceTable<String>()
        let paces = table.fetch("a", now: 0)
        table.giveBack("a", now: 100)
        #expect(table.fetch("a", now: 600) === paces)
        table.giveBack("a", now: 900)
        // A second after the first time, but not after the second.
        _ = table.fetch("b", now: 1_200)
        #expect(table.fetch("a", now: 1_300) === paces)
    }

    @Test func whoHasGoneIsForgottenWhenThatMakesNoDifference() {
        let table = SenderPaceTable<Int>()
        for key in 0..<5_000 {
            _ = table.fetch(key, now: 0)
            table.giveBack(key, now: 0)
        }
        #expect(table.count == 5_000)
        for key in 5_000..<7_000 { _ = table.fetch(key, now: 1_000) }
        #expect(table.count == 2_000)
        for key in 5_000..<7_000 { table.giveBack(key, now: 2_000) }
        _ = table.fetch(0, now: 9_000)
        _ = table.fetch(1, now: 9_000)
        #expect(table.count < 2_000)
    }

    @Test func unusedMetersAreRemovedThoughNobodyComes() {
        let table = SenderPaceTable<Int>(restMilliseconds: 10_000)
        let paces = table.fetch(-1, now: 0)
        for key in 0..<50_000 {
            _ = table.fetch(key, now: 0)
            table.giveBack(key, now: 0)
        }
        _ = table.fetch(50_000, now: 0)
        table.giveBack(50_000, now: 3_000)
        #expect(!table.removeUnused(now: 9_999) && table.count == 50_002)
        // Some in each call, because others wait meanwhile.
        #expect(table.removeUnused(now: 10_000) && table.count > 40_000)
        while table.removeUnused(now: 10_000) {}
        #expect(table.count == 2)
        // Their room is given back, too.
        #expect(table.capacity < 1_000)
        #expect(table.fetch(-1, now: 10_000) === paces)
        table.giveBack(-1, now: 10_000)
        #expect(!table.removeUnused(now: 90_000) && table.count == 1)
        #expect(table.fetch(-1, now: 90_000) === paces)
        for _ in 0..<2 { table.giveBack(-1, now: 90_000) }
        #expect(!table.removeUnused(now: 100_000) && table.count == 0)
    }

    @Test func aMeterIsGivenBackAsOftenAsItWasFetched() {
        let table = SenderPaceTable<String>()
        let paces = table.fetch("a", now: 0)
        _ = table.fetch("a", now: 0)
        table.giveBack("a", now: 0)
        for number in 0..<10 { _ = table.fetch("\(number)", now: 5_000) }
        #expect(table.fetch("a", now: 6_000) === paces)
        table.giveBack("nobody", now: 0)
    }
}
