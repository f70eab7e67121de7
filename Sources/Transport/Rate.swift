import Synchronization

/// A rate: so many per second, and so many at once after a pause.
///
/// Taken units are worked off one after another, each in its interval. A caller that takes more than is allowed at once
/// has to wait. The whole state is one number: the time at which everything will be worked off.
public struct Rate: Sendable {
    private let intervalNanoseconds: Int64
    private let atOnce: Int64

    /// - Parameters:
    ///   - perSecond: 0 means no limit.
    ///   - atOnce: by default a second's worth.
    public init(perSecond: Int, atOnce: Int? = nil) {
        let perSecond = Int64(max(perSecond, 0))
        intervalNanoseconds = perSecond > 0 ? max(1_000_000_000 / perSecond, 1) : 0
        self.atOnce = max(Int64(atOnce ?? Int(perSecond)), 1)
    }

    /// - Parameter perMinute: all of these may come at once. 0 means no limit.
    public init(perMinute: Int) {
        intervalNanoseconds = perMinute > 0 ? max(60_000_000_000 / Int64(perMinute), 1) : 0
        atOnce = max(Int64(perMinute), 1)
    }

    public var isOff: Bool { intervalNanoseconds == 0 }

    /// How many may be taken at once.
    public var atOnceMax: Int { Int(atOnce) }

    /// - Parameter done: when all earlier units are worked off.
    /// - Returns: the same with `cost` more units, or how long to wait if that is too much.
    @inline(__always)
    fileprivate func take(_ cost: Int, _ done: Int64, now: Int64) -> (done: Int64, excess: Int64) {
        let next = max(done, now) + nanoseconds(of: cost)
        return (next, next - now - atOnce * intervalNanoseconds)
    }

    /// How long it takes to work off so many units.
    fileprivate func nanoseconds(of cost: Int) -> Int64 { min(Int64(cost), atOnce) * intervalNanoseconds }

    /// How many units are not worked off yet, rounded up.
    fileprivate func level(_ done: Int64, now: Int64) -> Int {
        isOff ? 0 : Int((max(done - now, 0) + intervalNanoseconds - 1) / intervalNanoseconds)
    }

    /// Rounded up, so that a caller who waits this long has waited long enough.
    fileprivate static func milliseconds(_ nanoseconds: Int64) -> Int { Int((nanoseconds + 999_999) / 1_000_000) }
}

/// The state of a rate for one thread.
public struct Pace: Sendable {
    private var done: Int64 = 0

    public init() {}

    /// Takes so many units, or, if they are too many, takes nothing and returns how many milliseconds to wait.
    public mutating func take(_ rate: Rate, _ cost: Int = 1, nowMilliseconds: Int64) -> Int {
        guard !rate.isOff else { return 0 }
        let (next, excess) = rate.take(cost, done, now: nowMilliseconds * 1_000_000)
        guard excess <= 0 else { return Rate.milliseconds(excess) }
        done = next
        return 0
    }

    /// How many taken units still count.
    public func level(_ rate: Rate, nowMilliseconds: Int64) -> Int {
        rate.level(done, now: nowMilliseconds * 1_000_000)
    }
}

/// The state of a rate for several threads: exact over all of them, without a lock.
public struct SharedPace: ~Copyable, Sendable {
    private let done = Atomic<Int64>(0)

    public init() {}

    /// Takes so many units, or, if they are too many, takes nothing and returns how many milliseconds to wait.
    public func take(_ rate: Rate, _ cost: Int = 1, nowMilliseconds: Int64) -> Int {
        guard !rate.isOff else { return 0 }
        var before = done.load(ordering: .relaxed)
        while true {
            let (next, excess) = rate.take(cost, before, now: nowMilliseconds * 1_000_000)
            guard excess <= 0 else { return Rate.milliseconds(excess) }
            let (isExchanged, original) = done.weakCompareExchange(expected: before, desired: next, ordering: .relaxed)
            if isExchanged { return 0 }
            before = original
        }
    }

    /// Gives back units that were not used.
    public func giveBack(_ rate: Rate, _ cost: Int) {
        done.wrappingSubtract(rate.nanoseconds(of: cost), ordering: .relaxed)
    }
}
