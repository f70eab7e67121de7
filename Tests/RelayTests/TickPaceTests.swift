import Testing

@testable import Relay

struct TickPaceTests {
    private func settled(_ pace: inout TickPace, _ load: (Double) -> Double) -> Double {
        for _ in 0..<200 { pace.adapt(to: load(pace.milliseconds)) }
        return pace.milliseconds
    }

    @Test func roomsOfAServerThatHasTimeTickAsOftenAsTheyMay() {
        var pace = TickPace(4...50)
        #expect(settled(&pace) { _ in 1 } == 50)
        #expect(settled(&pace) { _ in 0.1 } == 4)
    }

    @Test func theIntervalGrowsUntilTheLoadIsRight() {
        // Half of the work is there at any pace, the other half with each tick.
        var pace = TickPace(4...50)
        let interval = settled(&pace) { 0.3 + 6 / $0 }
        #expect(abs(interval - 20) < 0.5)
    }

    @Test func overloadIsAnsweredWithinHalfASecond() {
        var pace = TickPace(4...50)
        // Ten windows of 50 ms.
        for _ in 0..<10 { pace.adapt(to: 1) }
        #expect(pace.milliseconds == 50)
    }

    @Test func aFixedIntervalStaysWhatItIs() {
        var pace = TickPace(16...16)
        #expect(settled(&pace) { _ in 1 } == 16)
        #expect(settled(&pace) { _ in 0 } == 16)
    }
}
