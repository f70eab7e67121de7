import Threads

/// A limit on requests: so many per second on average, and so many at once. Two objects are two limits.
public final class RequestRate: Sendable {
    let perMinute: Int
    let rate: Rate
    /// Whether it also holds for addresses that the server does not count, such as loopback.
    let exemptsNobody: Bool

    /// - Parameters:
    ///   - perSecond: 0 means no limit.
    ///   - atOnce: by default a second's worth.
    public init(perSecond: Int, atOnce: Int? = nil) {
        precondition((atOnce ?? perSecond) <= 60 * perSecond, "what is taken comes back before it is forgotten")
        perMinute = 60 * perSecond
        rate = Rate(perSecond: perSecond, atOnce: atOnce)
        exemptsNobody = false
    }

    /// - Parameter perMinute: all of these may come at once. 0 means no limit.
    public init(perMinute: Int, exemptsNobody: Bool = false) {
        self.perMinute = perMinute
        rate = Rate(perMinute: perMinute)
        self.exemptsNobody = exemptsNobody
    }

    public var isOff: Bool { rate.isOff }
}

/// The reading of a limit for a request's headers.
public struct RateReading: Sendable {
    public let limit: Int
    public let remaining: Int
    /// Seconds until all of the limit is available again.
    public let resetSeconds: Int
    /// Zero when the request is admitted.
    public let waitMilliseconds: Int
}

/// The counts of one address, or of one sender, for each limit of its requests.
public struct RequestPaces: Sendable {
    /// One for each limit. Their number is bounded by that of groups and routes.
    private var paces: [(limit: ObjectIdentifier, pace: Pace)] = []

    /// Counts a request; nil when there is no limit.
    public mutating func take(_ limit: RequestRate, nowMilliseconds now: Int64) -> RateReading? {
        guard !limit.isOff else { return nil }
        let id = ObjectIdentifier(limit)
        let index = paces.firstIndex { $0.limit == id } ?? paces.endIndex
        if index == paces.endIndex { paces.append((id, Pace())) }
        let wait = paces[index].pace.take(limit.rate, nowMilliseconds: now)
        let level = paces[index].pace.level(limit.rate, nowMilliseconds: now)
        return RateReading(
            limit: limit.rate.atOnceMax, remaining: max(limit.rate.atOnceMax - level, 0),
            resetSeconds: (level * 60 + limit.perMinute - 1) / limit.perMinute, waitMilliseconds: wait)
    }
}

/// Counts the requests of each address, or of each sender, over all shards.
///
/// A key without requests for as long as a whole allowance takes to come back is like a new one. It is forgotten
/// without a search, because only two generations of entries are kept.
public final class RequestMeters<Key: Hashable & Sendable>: Meters {
    private struct State {
        var young: [Key: RequestPaces] = [:]
        var old: [Key: RequestPaces] = [:]
        var turnsAt: Int64 = 0

        /// Begins a new generation. Returns the one that is forgotten.
        mutating func turn(now: Int64) -> [Key: RequestPaces] {
            let forgotten = old
            (old, young) = (young, [:])
            turnsAt = now + generationMilliseconds
            return forgotten
        }
    }

    /// As long as the largest allowance takes to come back: see `RequestRate`.
    static var generationMilliseconds: Int64 { 60_000 }

    private let countedMax: Int
    private let state = Locked(State())

    /// - Parameter countedMax: keys of a generation. Past it: inactive ones are forgotten early.
    public init(countedMax: Int = 100_000) {
        self.countedMax = countedMax
    }

    /// Counts one request of a key against the limits in `take`.
    public func count<Result: Sendable>(
        _ key: Key, nowMilliseconds now: Int64, _ take: (inout RequestPaces) -> Result
    ) -> Result {
        // What is forgotten is released after the lock, because it may be large.
        state.withLock { state in
            let forgotten = now >= state.turnsAt || state.young.count >= countedMax ? state.turn(now: now) : [:]
            if state.young[key] == nil { state.young[key] = state.old[key] }
            return (take(&state.young[key, default: RequestPaces()]), forgotten)
        }.0
    }

    public func removeUnused(now: Int64) -> Bool {
        _ = state.withLock { now >= $0.turnsAt ? $0.turn(now: now) : [:] }
        return false
    }

    /// How many keys are in both generations; for tests.
    var keyCount: Int { state.withLock { $0.young.count + $0.old.count } }
}
