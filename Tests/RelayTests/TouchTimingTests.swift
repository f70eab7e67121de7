import Testing

@testable import Relay

@Suite struct TouchTimingTests {
    @Test(arguments: [(false, 4), (true, 8)] as [(Bool, Int64)])
    func touchesGoOnceForEachTickJustBeforeIt(isElsewhere: Bool, lead: Int64) {
        var timing = TouchTiming(isElsewhere: isElsewhere)
        timing.tickedAt = 1_000
        #expect(timing.due(interval: 16) == 1_016 - lead)
        // Sent along with those of another room: the tick may have more.
        timing.sentAt = 1_005
        #expect(timing.due(interval: 16) == 1_016 - lead)
        timing.sentAt = 1_016 - lead
        #expect(timing.due(interval: 16) == 1_032 - lead)
        // The tick is late, and comes.
        timing.sentAt = 1_020
        #expect(timing.due(interval: 16) == 1_036 - lead)
        timing.tickedAt = 1_022
        #expect(timing.due(interval: 16) == 1_038 - lead)
    }

    @Test(arguments: [false, true]) func touchesOfAQuietRoomGoAtOnce(isElsewhere: Bool) {
        var timing = TouchTiming(isElsewhere: isElsewhere)
        #expect(timing.due(interval: 16) < 0)
        timing.tickedAt = 1_000
        timing.sentAt = 1_012
        #expect(timing.due(interval: 16) <= 1_500)
        // The home ticks at once; the next ones wait for the tick after.
        timing.sentAt = 1_500
        #expect(timing.due(interval: 16) == 1_516 - (isElsewhere ? 8 : 4))
    }

    @Test func theLeadOfAFarHomeIsAPartOfAShortInterval() {
        var timing = TouchTiming(isElsewhere: true)
        timing.tickedAt = 1_000
        #expect(timing.due(interval: 10) == 1_005)
    }
}
