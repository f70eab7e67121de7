import Testing

@testable import Transport

@Suite("The timer wheel")
struct TimerWheelTests {
    /// All that fire at a time, in a wheel and in a list that is searched.
    private struct Pair {
        var wheel: TimerWheel
        var model: [ObjectIdentifier: Int64] = [:]
        var lastNow: Int64

        init(now: Int64) {
            wheel = TimerWheel(now: now)
            lastNow = now
        }

        mutating func arm(_ timer: LoopTimer, at deadline: Int64) {
            wheel.arm(timer, at: deadline)
            // What is due already fires with the next slot.
            model[ObjectIdentifier(timer)] = max(deadline, lastNow)
        }

        mutating func cancel(_ timer: LoopTimer) {
            wheel.cancel(timer)
            model[ObjectIdentifier(timer)] = nil
        }

        /// Lets everything due fire and compares; `fired` may arm and cancel.
        mutating func advance(to now: Int64, _ fired: (inout Pair, LoopTimer) -> Void = { _, _ in }) {
            lastNow = now
            while let timer = wheel.takeDue(now: now) {
                let deadline = model.removeValue(forKey: ObjectIdentifier(timer))
                #expect(deadline != nil, "a timer fired that was not armed")
                #expect((deadline ?? .max) <= now, "a timer fired early")
                #expect(!timer.isArmed)
                fired(&self, timer)
            }
            // A slot's width late at most.
            let late = model.values.filter { $0 <= now - TimerWheel.slotMilliseconds }
            #expect(late.isEmpty, "timers of \(late) did not fire at \(now)")
            #expect(wheel.armedCount == model.count)
            if let next = model.values.min() {
                let wait = wheel.millisecondsToNext(now: now)
                #expect(wait != nil)
                #expect((wait ?? .max) <= max(next - now, 0) + TimerWheel.slotMilliseconds, "it would sleep too long")
            } else {
                #expect(wheel.millisecondsToNext(now: now) == nil)
            }
        }
    }

    @Test func aTimerFiresOnceNeverEarlyAndAtMostASlotLate() {
        for start in [0, 1, 777] as [Int64] {
            for delay in 0..<40 as Range<Int64> {
                var pair = Pair(now: start)
                pair.arm(LoopTimer(), at: start + delay)
                for now in start...(start + delay + 3) { pair.advance(to: now) }
                #expect(pair.model.isEmpty)
            }
        }
    }

    @Test(arguments: 0..<12)
    func itAgreesWithANaiveModel(seed: Int) {
        var generator = SeededGenerator(seed: UInt64(seed))
        let spans: [Int64] = [3, 50, 5_000, 131_072, 400_000]
        let timers = (0..<60).map { _ in LoopTimer() }
        var now = Int64.random(in: 0...1_000_000, using: &generator)
        var pair = Pair(now: now)
        for _ in 0..<3_000 {
            let timer = timers.randomElement(using: &generator) ?? LoopTimer()
            switch Int.random(in: 0..<10, using: &generator) {
            case 0..<5:
                let span = spans.randomElement(using: &generator) ?? 1
                pair.arm(timer, at: now + Int64.random(in: -2...span, using: &generator))
            case 5: pair.cancel(timer)
            default:
                let step = spans.randomElement(using: &generator) ?? 1
                now += Int64.random(in: 0...step, using: &generator)
                pair.advance(to: now) { pair, fired in
                    // Callbacks arm themselves anew, cancel others and arm others.
                    switch Int.random(in: 0..<6, using: &generator) {
                    case 0: pair.arm(fired, at: now + Int64.random(in: 0...300, using: &generator))
                    case 1: pair.cancel(timers.randomElement(using: &generator) ?? fired)
                    case 2: pair.arm(timers.randomElement(using: &generator) ?? fired, at: now + 1)
                    default: break
                    }
                }
            }
        }
    }

    @Test func sleepingAsLongAsItSaysMissesNothing() {
        var generator = SeededGenerator(seed: 99)
        var now: Int64 = 12_345
        var pair = Pair(now: now)
        for _ in 0..<200 { pair.arm(LoopTimer(), at: now + Int64.random(in: 0...500_000, using: &generator)) }
        var wakes = 0
        while let wait = pair.wheel.millisecondsToNext(now: now) {
            now += max(wait, 1)
            wakes += 1
            pair.advance(to: now)
            if wakes > 5_000 { break }
        }
        #expect(pair.model.isEmpty)
        #expect(wakes < 2_000)
    }

    @Test func aDeadlineOfManyRoundsIsKept() {
        var pair = Pair(now: 0)
        let round = Int64(1 << 16) * TimerWheel.slotMilliseconds
        for rounds in 1...4 as ClosedRange<Int64> {
            for offset in -2...2 as ClosedRange<Int64> { pair.arm(LoopTimer(), at: rounds * round + offset) }
        }
        for now in stride(from: 0 as Int64, through: 4 * round + 10, by: 997) { pair.advance(to: now) }
        pair.advance(to: 4 * round + 10)
        #expect(pair.model.isEmpty)
    }

    @Test func aTimerThatArmsItselfForNowDoesNotFireForeverInOneTurn() {
        var pair = Pair(now: 100)
        let timer = LoopTimer()
        pair.arm(timer, at: 100)
        var count = 0
        pair.advance(to: 104) { pair, fired in
            count += 1
            if count < 100 { pair.arm(fired, at: 104) }
        }
        #expect(count < 100)
    }

    // Many timers in one slot hold one another in a list, which must not be let go of in recursion.
    @Test(arguments: [[], [0], [1], [4], [0, 4], [2, 1, 0], [0, 1, 2, 3, 4]])
    func whatIsDueAtTheSameTimeFiresInTheOrderOfArming(cancelled: [Int]) {
        var wheel = TimerWheel(now: 0)
        let timers = (0..<5).map { _ in LoopTimer() }
        for timer in timers { wheel.arm(timer, at: 100) }
        for index in cancelled { wheel.cancel(timers[index]) }
        for index in cancelled { wheel.arm(timers[index], at: 100) }
        var fired: [Int] = []
        while let timer = wheel.takeDue(now: 100) { fired.append(timers.firstIndex { $0 === timer } ?? -1) }
        #expect(fired == (0..<5).filter { !cancelled.contains($0) } + cancelled)
    }

    @Test func manyTimersInASlotAreLetGoOfOneByOne() {
        weak var last: LoopTimer?
        do {
            var wheel = TimerWheel(now: 0)
            for _ in 0..<200_000 {
                let timer = LoopTimer()
                wheel.arm(timer, at: 1_000)
                last = timer
            }
            wheel.cancelAll()
            #expect(wheel.armedCount == 0)
        }
        #expect(last == nil)
    }
}
