import Threads
import Transport

/// Counts the sessions of all shards against the bounds of the server.
public final class SessionCensus: Sendable {
    /// Why a session is refused.
    public enum Refusal: Sendable {
        /// The server has as many sessions as it may have.
        case full
        /// Too many of the server's sessions have no accepted CONNECT.
        case pendingFull
        /// The client's address or network has its share.
        case addressFull
    }

    private let openMax: Int
    private let addresses: AddressCounts
    private let openCounter = Counter()
    private let pending: Locked<PendingSessions>

    public init(_ configuration: SessionConfiguration = SessionConfiguration()) {
        openMax = configuration.sessionsMax
        addresses = AddressCounts(most: configuration.sessionsPerAddressMax)
        pending = Locked(PendingSessions(most: configuration.sessionsPendingMax))
    }

    /// Open sessions, including those whose clients do not know yet that the server ends them.
    public var open: Int { openCounter.value }

    /// Counts a session that begins, which is pending at first. A refused session is not counted.
    func begin(_ id: SessionID, _ address: IPAddress?) -> PendingSessions.Beginning {
        guard openCounter.add() <= openMax || openMax == 0 else {
            openCounter.subtract()
            return .refused(.full)
        }
        guard addresses.add(address) else {
            openCounter.subtract()
            return .refused(.addressFull)
        }
        let beginning = pending.withLock { $0.begin(id, address) }
        if case .refused = beginning { end(id, address) }
        return beginning
    }

    /// A session is not pending any more.
    func settle(_ id: SessionID) {
        pending.withLock { $0.end(id) }
    }

    func end(_ id: SessionID, _ address: IPAddress?) {
        settle(id)
        openCounter.subtract()
        addresses.remove(address)
    }
}
