/// A timer of a loop. When it is armed again, it fires only at the newer time.
public final class ClientTimer {
    /// Called when the time has come; the timer is not armed any more then.
    public var fire: (() -> Void)?
    fileprivate(set) var deadline: Int64?
    /// Which of its entries in the heap counts.
    fileprivate var stamp: UInt64 = 0

    public init() {}

    public var isArmed: Bool { deadline != nil }
}

/// The armed timers of a loop, the earliest first.
///
/// Arming again and cancelling leave an entry behind that counts no more; when such entries are most of the heap, they
/// are swept out, so it is never much larger than the number of armed timers.
struct TimerHeap {
    private struct Entry {
        let deadline: Int64
        let stamp: UInt64
        let timer: ClientTimer

        var counts: Bool { timer.stamp == stamp }
    }

    private var entries: [Entry] = []
    private var nextStamp: UInt64 = 1
    private(set) var armedCount = 0

    mutating func arm(_ timer: ClientTimer, at deadline: Int64) {
        if timer.deadline == nil { armedCount += 1 }
        timer.deadline = deadline
        timer.stamp = nextStamp
        nextStamp += 1
        if entries.count > 64, entries.count > 2 * armedCount { sweep() }
        entries.append(Entry(deadline: deadline, stamp: timer.stamp, timer: timer))
        rise(entries.count - 1)
    }

    mutating func cancel(_ timer: ClientTimer) {
        guard timer.deadline != nil else { return }
        timer.deadline = nil
        timer.stamp = 0
        armedCount -= 1
    }

    /// When the next timer is due; nil when none is armed.
    mutating func next() -> Int64? {
        while let first = entries.first, !first.counts { removeFirst() }
        return entries.first?.deadline
    }

    /// Removes a timer that is due.
    mutating func take(dueAt now: Int64) -> ClientTimer? {
        guard let deadline = next(), deadline <= now, let timer = entries.first?.timer else { return nil }
        removeFirst()
        timer.deadline = nil
        timer.stamp = 0
        armedCount -= 1
        return timer
    }

    private mutating func removeFirst() {
        let last = entries.removeLast()
        guard !entries.isEmpty else { return }
        entries[0] = last
        sink(0)
    }

    private mutating func sweep() {
        entries.removeAll { !$0.counts }
        entries.sort { $0.deadline < $1.deadline }
    }

    private mutating func rise(_ start: Int) {
        var index = start
        while index > 0 {
            let parent = (index - 1) / 2
            guard entries[index].deadline < entries[parent].deadline else { return }
            entries.swapAt(index, parent)
            index = parent
        }
    }

    private mutating func sink(_ start: Int) {
        var index = start
        while true {
            var least = index
            for child in [2 * index + 1, 2 * index + 2]
            where child < entries.count && entries[child].deadline < entries[least].deadline {
                least = child
            }
            guard least != index else { return }
            entries.swapAt(index, least)
            index = least
        }
    }
}
