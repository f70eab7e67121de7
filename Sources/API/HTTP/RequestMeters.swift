import Threads
import Transport

/// How many requests have come from each account, or from each address, over all shards.
///
/// Those who have been quiet for as long as a whole allowance takes to come back are as if they had never been there:
/// they are forgotten without being looked for, since only two generations of entries are kept.
final class RequestMeters<Key: Hashable & Sendable>: Sendable {
    /// What a request is told of its limit.
    struct Reading: Sendable {
        let limit: Int
        let remaining: Int
        /// Until all of the limit is there again.
        let resetSeconds: Int
        /// Zero when the request may go on.
        let waitMilliseconds: Int

        var headers: [(String, String)] {
            var headers = [
                ("X-RateLimit-Limit", "\(limit)"), ("X-RateLimit-Remaining", "\(remaining)"),
                ("X-RateLimit-Reset", "\(resetSeconds)"),
            ]
            if waitMilliseconds > 0 { headers.append(("Retry-After", "\((waitMilliseconds + 999) / 1_000)")) }
            return headers
        }
    }

    private struct State {
        var young: [Key: Pace] = [:]
        var old: [Key: Pace] = [:]
        var turnsAt: Int64 = 0
    }

    private let rate: Rate
    private let perSecond: Int
    private let countedMax: Int
    private let state = Locked(State())

    init(perSecond: Int, countedMax: Int) {
        self.perSecond = perSecond
        self.countedMax = countedMax
        rate = APILimits.rate(perSecond: perSecond)
    }

    /// Counts a request; nil when there is no limit.
    func take(_ key: Key, nowMilliseconds now: Int64) -> Reading? {
        guard !rate.isOff else { return nil }
        return state.withLock { state in
            if now >= state.turnsAt || state.young.count >= countedMax {
                state.old = state.young
                state.young = [:]
                state.turnsAt = now + 60_000
            }
            var pace = state.young[key] ?? state.old[key] ?? Pace()
            let wait = pace.take(rate, nowMilliseconds: now)
            state.young[key] = pace
            let level = pace.level(rate, nowMilliseconds: now)
            return Reading(
                limit: rate.atOnceMax, remaining: max(rate.atOnceMax - level, 0),
                resetSeconds: (level + perSecond - 1) / perSecond, waitMilliseconds: wait)
        }
    }
}
