import Transport
import Wire

/// The counts of one shard's requests: plain numbers of its thread, copied on request.
package struct RequestTotals: Sendable {
    package struct Key: Hashable, Sendable {
        package let method: String
        /// The pattern of the route, like `/api/rooms/{id}`. Their number is bounded.
        package let route: String
        /// The first digit of the status.
        package let statusClass: Int
    }

    package private(set) var answers: [Key: Int] = [:]
    /// The answers to each kind of client, by the value of `X-Client-Type`.
    package private(set) var clients: [String: Int] = [:]
    /// The time from the head to the answer, for requests with a route.
    package private(set) var durations = DurationHistogram()

    package init() {}

    mutating func count<Group>(_ route: Route<Group>?, _ status: Int, to client: ClientKind, milliseconds: Int64) {
        let key = Key(
            method: route?.method.name ?? "any", route: route?.pattern.text ?? "none", statusClass: status / 100)
        answers[key, default: 0] += 1
        clients[client.rawValue, default: 0] += 1
        if route != nil { durations.record(nanoseconds: Int(clamping: milliseconds) * 1_000_000) }
    }
}

/// Counts the requests of all groups of one shard.
package final class RequestCounter {
    package internal(set) var totals = RequestTotals()

    /// The counter of a shard, which keeps it.
    static func of(_ shard: Shard) -> RequestCounter {
        if let counter = shard.local(RequestCounter.self) { return counter }
        let counter = RequestCounter()
        shard.keep(counter)
        return counter
    }
}
