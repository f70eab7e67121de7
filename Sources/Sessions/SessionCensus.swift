import Transport

/// Counts the sessions of all shards against the bounds of the server.
public final class SessionCensus: Sendable {
    /// Why a session is refused.
    public enum Refusal: Sendable {
        /// The server has as many sessions as it may have.
        case full
        /// Too many of the server's sessions have no accepted CONNECT.
        case pendingFull
        /// The client's address has its share.
        case addressFull
    }

    private let openMax: Int
    private let pendingMax: Int
    private let addresses: AddressCounts
    /// A part of the pending sessions: one address must not keep out all others without showing a token.
    private let pendingOfAddresses: AddressCounts
    private let openCounter = Counter()
    private let pendingCounter = Counter()

    public init(_ configuration: SessionConfiguration = SessionConfiguration()) {
        openMax = configuration.sessionsMax
        pendingMax = configuration.sessionsPendingMax
        addresses = AddressCounts(most: configuration.sessionsPerAddressMax)
        pendingOfAddresses = AddressCounts(most: (configuration.sessionsPendingMax + 3) / 4)
    }

    /// Open sessions, including those whose clients do not know yet that the server ends them.
    public var open: Int { openCounter.value }

    /// Counts a session that begins, which is pending at first. A refused session is not counted.
    func begin(_ address: IPAddress?) -> Refusal? {
        guard Self.add(to: openCounter, openMax) else { return .full }
        guard Self.add(to: pendingCounter, pendingMax) else {
            openCounter.subtract()
            return .pendingFull
        }
        guard pendingOfAddresses.add(address) else {
            openCounter.subtract()
            pendingCounter.subtract()
            return .addressFull
        }
        guard addresses.add(address) else {
            openCounter.subtract()
            settle(address)
            return .addressFull
        }
        return nil
    }

    /// A session is not pending any more.
    func settle(_ address: IPAddress?) {
        pendingCounter.subtract()
        pendingOfAddresses.remove(address)
    }

    func end(_ address: IPAddress?, isPending: Bool) {
        openCounter.subtract()
        if isPending { settle(address) }
        addresses.remove(address)
    }

    private static func add(to counter: Counter, _ most: Int) -> Bool {
        guard counter.add() > most, most > 0 else { return true }
        counter.subtract()
        return false
    }
}
