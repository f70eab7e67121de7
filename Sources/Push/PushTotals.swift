import Fetch
import Threads

/// What became of a notification that was taken from the outbox.
package enum PushEnd: String, CaseIterable, Sendable {
    /// The provider has taken it.
    case sent
    /// The provider can reach none of the user's devices.
    case unreachable
    /// The provider will never take it.
    case refused
    case tooOld = "too_old"
    case unwanted
    case noDevice = "no_device"
    case noMember = "no_member"
    /// The user has joined the room meanwhile.
    case inRoom = "in_room"
    case unknownType = "unknown_type"
}

/// The counts of the sender since the start of the server, for operators.
package final class PushTotals: Sendable {
    package struct Reading: Sendable {
        package var ends: [PushEnd: Int] = [:]
        /// Attempts after which all sending paused.
        package var failures = 0
        /// The providers at which the newest attempt failed.
        var paused: Set<String> = []

        /// Whether a provider gets nothing for now.
        package var isPaused: Bool { !paused.isEmpty }
    }

    private let numbers = Monitor(Reading())

    package init() {}

    package var reading: Reading { numbers.withLock { $0 } }

    func count(_ end: PushEnd) {
        numbers.withLock { $0.ends[end, default: 0] += 1 }
    }

    func failed(at provider: String) {
        numbers.withLock {
            $0.failures += 1
            $0.paused.insert(provider)
        }
    }

    /// Answers whether the attempt before had failed.
    func reached(_ provider: String) -> Bool {
        numbers.withLock { $0.paused.remove(provider) != nil }
    }
}
