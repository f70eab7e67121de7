import Testing

@testable import Transport

struct LoadMeterTests {
    private let millisecond: UInt64 = 1_000_000

    @Test func theLoadIsTheShareOfTheTimeBetweenWakingAndSleeping() {
        var meter = LoadMeter(now: 0)
        var loads: [Double] = []
        for turn in 0..<20 as Range<UInt64> {
            meter.wakes(at: turn * 10 * millisecond)
            if let load = meter.sleeps(at: (turn * 10 + 3) * millisecond) { loads.append(load) }
        }
        #expect(loads.count == 3)
        #expect(loads.allSatisfy { (0.25...0.4).contains($0) })
    }

    @Test func aLoopThatNeverWaitsIsFullyLoaded() {
        var meter = LoadMeter(now: 0)
        for turn in 0..<10 as Range<UInt64> {
            meter.wakes(at: turn * 10 * millisecond)
            if let load = meter.sleeps(at: (turn + 1) * 10 * millisecond) { #expect(load == 1) }
        }
    }

    @Test func aLongSleepIsNoLoad() throws {
        var meter = LoadMeter(now: 0)
        meter.wakes(at: 10_000 * millisecond)
        let load = meter.sleeps(at: 10_001 * millisecond)
        #expect(try #require(load) < 0.001)
    }
}
