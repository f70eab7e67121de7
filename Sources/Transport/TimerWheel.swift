/// A timer on a shard's loop. Arming costs no more than a list splice. The end of its owner cancels it.
public final class LoopTimer {
    fileprivate(set) var deadline: Int64 = 0
    /// The timer before it in its slot; for the first one, the last.
    fileprivate unowned(unsafe) var previous: LoopTimer?
    fileprivate var next: LoopTimer?
    fileprivate var slot = -1
    public var fire: (() -> Void)?

    public init(_ fire: (() -> Void)? = nil) {
        self.fire = fire
    }

    public var isArmed: Bool { slot >= 0 }
}

/// Timers of one loop: slots of 2 ms, so arming and cancelling cost the same whatever their number.
///
/// A deadline beyond the wheel's span, two minutes with 65,536 slots, stays in its slot for more than one round. The wheel
/// holds its timers strongly.
package struct TimerWheel {
    static let slotMilliseconds: Int64 = 2

    private let slotCount: Int
    private var heads: [LoopTimer?]
    /// A bit for each slot that holds a timer, and a bit for each word of those that is not zero.
    private var occupiedSlots: [UInt64]
    private var occupiedWords: [UInt64]
    private(set) var armedCount = 0
    /// The tick, counted from time zero, up to which everything due has fired.
    private var passed: Int64

    /// - Parameter slotCount: a power of two, 4,096 at least.
    package init(now: Int64, slotCount: Int = 1 << 16) {
        precondition(slotCount >= 1 << 12 && slotCount & (slotCount - 1) == 0, "the slots fill whole words of words")
        self.slotCount = slotCount
        heads = Array(repeating: nil, count: slotCount)
        occupiedSlots = Array(repeating: 0, count: slotCount >> 6)
        occupiedWords = Array(repeating: 0, count: slotCount >> 12)
        passed = now / Self.slotMilliseconds
    }

    package mutating func arm(_ timer: LoopTimer, at deadline: Int64) {
        cancel(timer)
        timer.deadline = deadline
        // Rounded up, so that no timer fires early; never a slot that was passed.
        let tick = max((deadline + Self.slotMilliseconds - 1) / Self.slotMilliseconds, passed + 1)
        let slot = self.slot(of: tick)
        timer.slot = slot
        if let head = heads[slot] {
            // After earlier timers, so that timers with the same deadline fire in the order of arming.
            timer.previous = head.previous
            head.previous?.next = timer
            head.previous = timer
        } else {
            timer.previous = timer
            heads[slot] = timer
        }
        occupiedSlots[slot >> 6] |= 1 << UInt64(slot & 63)
        occupiedWords[slot >> 12] |= 1 << UInt64(slot >> 6 & 63)
        armedCount += 1
    }

    package mutating func cancel(_ timer: LoopTimer) {
        guard timer.slot >= 0 else { return }
        let slot = timer.slot
        if heads[slot] === timer {
            heads[slot] = timer.next
            timer.next?.previous = timer.previous
            if timer.next == nil { markEmpty(slot) }
        } else {
            timer.previous?.next = timer.next
            (timer.next ?? heads[slot])?.previous = timer.previous
        }
        timer.next = nil
        timer.previous = nil
        timer.slot = -1
        armedCount -= 1
    }

    /// One by one: releasing a long list at its head would recurse deeply.
    package mutating func cancelAll() {
        while armedCount > 0, let slot = firstOccupied(from: 0), let timer = heads[slot] { cancel(timer) }
    }

    private mutating func markEmpty(_ slot: Int) {
        occupiedSlots[slot >> 6] &= ~(1 << UInt64(slot & 63))
        if occupiedSlots[slot >> 6] == 0 { occupiedWords[slot >> 12] &= ~(1 << UInt64(slot >> 6 & 63)) }
    }

    private func slot(of tick: Int64) -> Int {
        Int(tick & Int64(slotCount - 1))
    }

    /// Removes one timer that is due. Call it until it returns nil.
    package mutating func takeDue(now: Int64) -> LoopTimer? {
        let target = now / Self.slotMilliseconds
        while passed <= target {
            var candidate = heads[slot(of: passed)]
            while let timer = candidate {
                if timer.deadline <= now {
                    cancel(timer)
                    return timer
                }
                candidate = timer.next
            }
            guard let next = nextOccupied(after: passed), next <= target else {
                passed = target
                return nil
            }
            passed = next
        }
        return nil
    }

    /// How long the loop may sleep; nil when nothing is armed.
    package func millisecondsToNext(now: Int64) -> Int64? {
        guard let tick = nextOccupied(after: passed) else { return nil }
        return max(tick * Self.slotMilliseconds - now, 0)
    }

    /// The first tick after `tick` with a timer in its slot, of any round.
    private func nextOccupied(after tick: Int64) -> Int64? {
        guard armedCount > 0 else { return nil }
        let start = slot(of: tick + 1)
        let found = firstOccupied(from: start) ?? firstOccupied(from: 0) ?? start
        return tick + 1 + Int64((found - start) & (slotCount - 1))
    }

    private func firstOccupied(from slot: Int) -> Int? {
        let word = slot >> 6
        let rest = occupiedSlots[word] >> UInt64(slot & 63)
        if rest != 0 { return slot + rest.trailingZeroBitCount }
        var block = (word + 1) >> 6
        guard block < occupiedWords.count else { return nil }
        var words = occupiedWords[block] & ~0 << UInt64((word + 1) & 63)
        while words == 0 {
            block += 1
            guard block < occupiedWords.count else { return nil }
            words = occupiedWords[block]
        }
        let found = (block << 6) + words.trailingZeroBitCount
        return (found << 6) + occupiedSlots[found].trailingZeroBitCount
    }
}
