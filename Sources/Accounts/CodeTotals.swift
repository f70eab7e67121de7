import Threads

/// What became of a request for a one-time code.
package enum CodeEnd: String, CaseIterable, Sendable {
    case sent
    /// No text or letter reaches the recipient.
    case unreachable
    /// The provider of texts or the mail server failed.
    case failed
    /// The recipient, the address or the network had its codes.
    case limited
    /// The server has sent all codes that it sends in an hour.
    case usedUp = "used_up"
}

/// How one-time codes go to people.
package enum CodeWay: String, CaseIterable, Sendable {
    case text, mail
}

/// The counts of codes since the start of the server, for operators.
package final class CodeTotals: Sendable {
    private let ends = Locked<[CodeWay: [CodeEnd: Int]]>([:])

    package init() {}

    package var reading: [CodeWay: [CodeEnd: Int]] { ends.withLock { $0 } }

    func count(_ end: CodeEnd, by way: CodeWay) { ends.withLock { $0[way, default: [:]][end, default: 0] += 1 } }
}
