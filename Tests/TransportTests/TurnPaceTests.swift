import Testing

@testable import Transport

struct TurnPaceTests {
    private let millisecond: UInt64 = 1_000_000

    /// A pace after so many turns, each of which the loop waited so long for.
    private func pace(_ turns: Int, afterNanoseconds waited: UInt64) -> TurnPace {
        var pace = TurnPace()
        for _ in 0..<turns { pace.turnBegins(afterNanoseconds: waited) }
        return pace
    }

    @Test func aLoopThatHasToWaitForWorkDoesNotRest() {
        #expect(pace(100, afterNanoseconds: millisecond).restEnds(afterTurnBegunAt: 0) == nil)
    }

    @Test func aFewTurnsInARowAreNoReasonToRest() {
        #expect(pace(5, afterNanoseconds: 0).restEnds(afterTurnBegunAt: 0) == nil)
    }

    @Test func turnsThatFollowEachOtherAtOnceAreKeptAMillisecondApart() {
        #expect(pace(100, afterNanoseconds: 10_000).restEnds(afterTurnBegunAt: millisecond) == 2 * millisecond)
    }

    @Test func whereWorkBecomesRareTheRestsEnd() {
        var pace = pace(1_000, afterNanoseconds: 0)
        for _ in 0..<32 { pace.turnBegins(afterNanoseconds: millisecond) }
        #expect(pace.restEnds(afterTurnBegunAt: 0) == nil)
    }
}
