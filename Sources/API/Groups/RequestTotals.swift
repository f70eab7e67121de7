import Transport
import Wire

/// The requests that one shard has answered: plain numbers of its thread, copied for whoever asks.
package struct RequestTotals: Sendable {
    package struct Key: Hashable, Sendable {
        package let method: String
        /// As the route is written, like `/api/rooms/{id}`: there are only so many.
        package let route: String
        /// The first digit of the status.
        package let statusClass: Int
    }

    package private(set) var answers: [Key: Int] = [:]
    /// From the request's head to its answer, of those that found a route.
    package private(set) var durations = DurationHistogram()

    package init() {}

    mutating func count<Group>(_ route: Route<Group>?, _ status: Int, milliseconds: Int64) {
        let key = Key(
            method: route?.method.name ?? "any", route: route?.pattern.text ?? "none", statusClass: status / 100)
        answers[key, default: 0] += 1
        if route != nil { durations.record(nanoseconds: Int(clamping: milliseconds) * 1_000_000) }
    }
}

/// Counts the requests of all groups of one shard.
package final class RequestCounter {
    package internal(set) var totals = RequestTotals()

    /// The shard's, which keeps it.
    static func of(_ shard: Shard) -> RequestCounter {
        if let counter = shard.local(RequestCounter.self) { return counter }
        let counter = RequestCounter()
        shard.keep(counter)
        return counter
    }
}
