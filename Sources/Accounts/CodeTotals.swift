import Threads

/// What became of a request for a one-time code.
package enum CodeEnd: String, CaseIterable, Sendable {
    case sent
    /// No text reaches the recipient.
    case unreachable
    /// The provider of texts failed, or there is none.
    case failed
    /// The number, the address or the network had its codes.
    case limited
    /// The server has sent all codes that it sends in an hour.
    case usedUp = "used_up"
}

/// The counts of codes since the start of the server, for operators.
package final class CodeTotals: Sendable {
    private let ends = Locked<[CodeEnd: Int]>([:])

    package init() {}

    package var reading: [CodeEnd: Int] { ends.withLock { $0 } }

    func count(_ end: CodeEnd) { ends.withLock { $0[end, default: 0] += 1 } }
}
