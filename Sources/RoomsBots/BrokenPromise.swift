/// What of the protocol's promises a server did not keep, and how it was seen.
package struct BrokenPromise: Error, Equatable, Sendable, CustomStringConvertible {
    package enum Promise: String, Sendable {
        case order = "a room's log has one order, without gap, duplicate or inversion"
        case agreement = "all members see the same log, and the same state after it"
        case versions = "an element's version goes up by one with each change"
        case touches = "a touch is never older than one that was seen before"
        case finalTouch = "the last position of a touch always arrives"
        case view = "who leaves a client's view is told, and then nobody outside of it"
        case presence = "who joins and leaves is told, and nobody else is there"
        case durability = "what was acked is there"
        case stay = "no room is closed under its members"
        case protocolOnly = "what is sent is the protocol's"
    }

    package let promise: Promise
    package let bot: String
    package let detail: String
    /// What this bot was sent last, the newest last.
    package let events: [String]
    package let seed: UInt64

    package var description: String {
        let events = events.map { "    \($0)" }.joined(separator: "\n")
        return """
            a promise was broken: \(promise.rawValue)
              \(bot): \(detail)
              with the seed \(seed); the last events of \(bot), the newest last:
            \(events)
            """
    }
}

/// A fault, before the bot that saw it is known.
struct Fault: Error {
    let promise: BrokenPromise.Promise
    let detail: String

    init(_ promise: BrokenPromise.Promise, _ detail: String) {
        self.promise = promise
        self.detail = detail
    }
}
