import Testing

@testable import Transport

struct TurnPaceTests {
    private let millisecond: UInt64 = 1_000_000

    /// A pace after so many turns, each of which the loop waited so long for, and something that waits.
    private func pace(_ turns: Int, afterNanoseconds waited: UInt64) -> TurnPace {
        var pace = TurnPace()
        for _ in 0..<turns { pace.turnBegins(afterNanoseconds: waited) }
        pace.noteWaiting()
        return pace
    }

    /// The rest after a turn of a tenth of a millisecond.
    private func rest(_ pace: TurnPace, before alarm: UInt64 = .max) -> Int {
        var pace = pace
        return pace.rest(afterTurnFrom: 7 * millisecond, to: 7 * millisecond + 100_000, before: alarm)
    }

    @Test func aLoopThatHasToWaitForWorkDoesNotRest() {
        #expect(rest(pace(100, afterNanoseconds: millisecond)) == 0)
    }

    @Test func aFewTurnsInARowAreNoReasonToRest() {
        #expect(rest(pace(5, afterNanoseconds: 0)) == 0)
    }

    @Test func turnsThatFollowEachOtherAtOnceAreKeptAMillisecondApart() {
        #expect(rest(pace(100, afterNanoseconds: 10_000)) == 900_000)
    }

    @Test func aTurnThatTookLongerIsFollowedAtOnce() {
        var pace = pace(100, afterNanoseconds: 0)
        #expect(pace.rest(afterTurnFrom: 0, to: 2 * millisecond, before: .max) == 0)
    }

    @Test func aTimerThatIsDueEndsTheRest() {
        #expect(rest(pace(100, afterNanoseconds: 0), before: 7 * millisecond + 300_000) == 200_000)
        #expect(rest(pace(100, afterNanoseconds: 0), before: 6 * millisecond) == 0)
    }

    @Test func whoWasAnsweredIsNotKeptWaiting() {
        var pace = pace(100, afterNanoseconds: 0)
        pace.noteAnswered()
        #expect(rest(pace) == 0)
    }

    @Test func aTurnInWhichNothingWaitsIsFollowedAtOnce() {
        var pace = pace(100, afterNanoseconds: 0)
        _ = pace.rest(afterTurnFrom: 0, to: 1, before: .max)
        #expect(rest(pace) == 0)
    }

    @Test func whereWorkBecomesRareTheRestsEnd() {
        var pace = pace(1_000, afterNanoseconds: 0)
        for _ in 0..<32 { pace.turnBegins(afterNanoseconds: millisecond) }
        #expect(rest(pace) == 0)
    }
}
