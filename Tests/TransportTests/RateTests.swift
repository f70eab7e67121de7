import Glibc
import Testing
import Transport

@Suite struct RateTests {
    /// How many of `count` attempts at one time are taken.
    private func taken(_ pace: inout Pace, _ rate: Rate, at now: Int64, of count: Int = 10_000) -> Int {
        (0..<count).count { _ in pace.take(rate, nowMilliseconds: now) == 0 }
    }

    @Test(arguments: [1, 3, 7, 100, 1_000, 999_999]) func aSecondsWorthPassesAtOnceAndThenAsMuchEachSecond(rate: Int) {
        var pace = Pace()
        let count = Rate(perSecond: rate)
        #expect(taken(&pace, count, at: 5_000, of: 2 * rate) == rate)
        #expect(taken(&pace, count, at: 5_000) == 0)
        #expect(taken(&pace, count, at: 6_000, of: 2 * rate) == rate)
        // After a long pause no more than after a second.
        #expect(taken(&pace, count, at: 1_000_000, of: 3 * rate) == rate)
    }

    @Test func overAnyTimeNoMorePassesThanTheRateAndOneSecondsWorth() {
        var random = SeededGenerator(seed: 11)
        for perSecond in [1, 13, 250, 4_000] {
            var (pace, now, passed) = (Pace(), Int64(0), 0)
            let rate = Rate(perSecond: perSecond)
            while now < 20_000 {
                if pace.take(rate, nowMilliseconds: now) == 0 { passed += 1 }
                if Int.random(in: 0..<3, using: &random) == 0 { now += 1 }
            }
            #expect(passed <= perSecond * 21)
            // There are more attempts than that, but for the fastest.
            #expect(passed >= min(perSecond * 20, 19_000))
        }
    }

    @Test func whoWaitsAsLongAsToldIsLetThrough() {
        var random = SeededGenerator(seed: 5)
        for perSecond in [1, 3, 60, 700, 12_345] {
            var (pace, now) = (Pace(), Int64(1))
            let rate = Rate(perSecond: perSecond)
            for _ in 0..<2_000 {
                let wait = pace.take(rate, nowMilliseconds: now)
                guard wait > 0 else { continue }
                if wait > 1 { #expect(pace.take(rate, nowMilliseconds: now + Int64(wait) - 1) > 0) }
                now += Int64(wait)
                #expect(pace.take(rate, nowMilliseconds: now) == 0)
                now += Int64.random(in: 0..<5, using: &random)
            }
        }
    }

    @Test func whatIsRefusedCostsNothing() {
        var pace = Pace()
        let rate = Rate(perSecond: 10)
        #expect(taken(&pace, rate, at: 0, of: 100_000) == 10)
        #expect(taken(&pace, rate, at: 100) == 1)
    }

    @Test func whatCountsAsSeveralTakesTheirPlaceAndAtMostAll() {
        var pace = Pace()
        let rate = Rate(perSecond: 10)
        #expect(pace.take(rate, 7, nowMilliseconds: 0) == 0)
        #expect(pace.take(rate, 7, nowMilliseconds: 0) == 400)
        #expect(pace.take(rate, 3, nowMilliseconds: 0) == 0)
        // Where less is allowed than it counts for, it is let through alone.
        #expect(pace.take(rate, 70, nowMilliseconds: 1_000) == 0)
        #expect(pace.take(rate, 1, nowMilliseconds: 1_000) > 0)
    }

    @Test func moreMayComeAtOnceThanInASecond() {
        var pace = Pace()
        let rate = Rate(perSecond: 10, atOnce: 100)
        #expect(taken(&pace, rate, at: 0) == 100)
        #expect(pace.level(rate, nowMilliseconds: 0) == 100)
        #expect(pace.level(rate, nowMilliseconds: 5_000) == 50)
        #expect(taken(&pace, rate, at: 5_000) == 50)
    }

    @Test func zeroIsNoLimit() {
        var pace = Pace()
        #expect(taken(&pace, Rate(perSecond: 0), at: 0) == 10_000)
        #expect(Rate(perSecond: 0).isOff && SharedPace().take(Rate(perSecond: 0), nowMilliseconds: 0) == 0)
    }

    @Test func aClockThatLagsBehindAnotherThreadsGivesNothingAway() {
        let pace = SharedPace()
        let rate = Rate(perSecond: 10)
        for _ in 0..<10 { #expect(pace.take(rate, nowMilliseconds: 1_000) == 0) }
        #expect(pace.take(rate, nowMilliseconds: 990) > 0)
        #expect(pace.take(rate, nowMilliseconds: 1_099) > 0)
        #expect(pace.take(rate, nowMilliseconds: 1_100) == 0)
    }

    @Test func whatIsGivenBackCanBeTakenAgain() {
        let pace = SharedPace()
        let rate = Rate(perSecond: 10)
        #expect(pace.take(rate, 10, nowMilliseconds: 1_000) == 0)
        #expect(pace.take(rate, 4, nowMilliseconds: 1_000) == 400)
        pace.giveBack(rate, 4)
        #expect(pace.take(rate, 4, nowMilliseconds: 1_000) == 0)
        #expect(pace.take(rate, nowMilliseconds: 1_000) == 100)
    }

    /// What is taken on several threads is exactly what one would have taken.
    @Test func threadsShareARateExactly() async {
        final class Shared: Sendable { let pace = SharedPace() }
        let (shared, rate) = (Shared(), Rate(perSecond: 5_000))
        let passed = await withTaskGroup(of: Int.self) { group in
            for _ in 0..<4 {
                group.addTask {
                    (0..<20_000).count { shared.pace.take(rate, nowMilliseconds: 1_000 + Int64($0 / 10)) == 0 }
                }
            }
            return await group.reduce(0, +)
        }
        // The clocks of all go from 1,000 to 2,999.
        #expect(passed <= 5_000 + 1_999 * 5 && passed >= 5_000 + 1_900 * 5)
    }
}
