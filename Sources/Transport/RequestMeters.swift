import Threads

/// A limit on requests: so many a second on average, and so many at once. Two objects are two limits.
public final class RequestRate: Sendable {
    let perSecond: Int
    let rate: Rate

    /// - Parameters:
    ///   - perSecond: 0 is without a limit.
    ///   - atOnce: a second's worth unless told otherwise.
    public init(perSecond: Int, atOnce: Int? = nil) {
        precondition((atOnce ?? perSecond) <= 60 * perSecond, "what is taken comes back before it is forgotten")
        self.perSecond = perSecond
        rate = Rate(perSecond: perSecond, atOnce: atOnce)
    }

    public var isOff: Bool { rate.isOff }
}

/// What a request is told of a limit.
public struct RateReading: Sendable {
    public let limit: Int
    public let remaining: Int
    /// Until all of the limit is there again.
    public let resetSeconds: Int
    /// Zero when the request may go on.
    public let waitMilliseconds: Int
}

/// What one address, or one sender, has taken of each limit that its requests were held against.
public struct RequestPaces: Sendable {
    /// One for each limit: there are as many as groups and routes have limits.
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
            resetSeconds: (level + limit.perSecond - 1) / limit.perSecond, waitMilliseconds: wait)
    }
}

/// How many requests have come from each address, or from each sender, over all shards.
///
/// A key that is quiet for as long as a whole allowance takes to come back is as if it had never been there. It is
/// forgotten without being looked for, since only two generations of entries are kept.
public final class RequestMeters<Key: Hashable & Sendable>: Sendable {
    private struct State {
        var young: [Key: RequestPaces] = [:]
        var old: [Key: RequestPaces] = [:]
        var turnsAt: Int64 = 0
    }

    /// As long as the largest allowance takes to come back: see `RequestRate`.
    static var generationMilliseconds: Int64 { 60_000 }

    private let countedMax: Int
    private let state = Locked(State())

    /// - Parameter countedMax: keys of a generation. Past it: those that rest are forgotten early.
    public init(countedMax: Int = 100_000) {
        self.countedMax = countedMax
    }

    /// Counts one request of a key against the limits that `take` holds it against.
    public func count<Result: Sendable>(
        _ key: Key, nowMilliseconds now: Int64, _ take: (inout RequestPaces) -> Result
    ) -> Result {
        // Let go of when the lock is free: it may be many.
        var forgotten: [Key: RequestPaces] = [:]
        defer { forgotten = [:] }
        return state.withLock { state in
            if now >= state.turnsAt || state.young.count >= countedMax {
                swap(&forgotten, &state.old)
                swap(&state.old, &state.young)
                state.turnsAt = now + Self.generationMilliseconds
            }
            if state.young[key] == nil { state.young[key] = state.old[key] }
            return take(&state.young[key, default: RequestPaces()])
        }
    }
}
