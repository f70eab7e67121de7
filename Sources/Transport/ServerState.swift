import Threads

/// What all shards of a server share: its limits, its counters, and the TLS context that new connections get.
public final class ServerState: Sendable {
    public let limits: TransportLimits
    public let counters = TransportCounters()
    /// Told of what an operator should know, at most once a second per kind.
    let report: @Sendable (TransportNotice) -> Void
    /// Who may say, by the PROXY protocol or by `X-Forwarded-For`, for whom it connects.
    let trustedProxies: [AddressBlock]
    let proxyProtocol: Bool
    let forwardedFor: Bool

    private let connections: AddressCounts
    private let lastNotice = Locked<[TransportNotice.Kind: Int64]>([:])

    init(_ configuration: TransportConfiguration) {
        limits = configuration.limits
        connections = AddressCounts(most: configuration.limits.connectionsPerAddressMax)
        report = configuration.report
        trustedProxies = configuration.trustedProxies
        proxyProtocol = configuration.proxyProtocol
        forwardedFor = configuration.forwardedFor
    }

    func isTrustedProxy(_ peer: PeerAddress) -> Bool {
        guard let address = peer.address else { return true }
        return trustedProxies.contains { $0.contains(address) }
    }

    /// A proxy speaks for many; loopback is the operator's own.
    private func isExempt(_ peer: PeerAddress) -> Bool {
        peer.isLocal || isTrustedProxy(peer)
    }

    /// The address by which what comes from a peer is counted; nil for those of whom nothing is. Whoever has IPv6 has a
    /// whole network of it, which counts as one.
    public func countedAddress(of peer: PeerAddress) -> IPAddress? {
        guard let address = peer.address, !isExempt(peer) else { return nil }
        guard case .v6(let high, _) = address else { return address }
        return .v6(high, 0)
    }

    /// Counts a connection in, or answers false when its address has its share.
    func admit(_ peer: PeerAddress) -> Bool { connections.add(countedAddress(of: peer)) }

    func release(_ peer: PeerAddress) { connections.remove(countedAddress(of: peer)) }

    func notice(_ kind: TransportNotice.Kind, _ detail: String, now: Int64) {
        let due = lastNotice.withLock { last in
            if let before = last[kind], now - before < 1_000 { return false }
            last[kind] = now
            return true
        }
        if due { report(TransportNotice(kind: kind, detail: detail)) }
    }
}

/// Something that an operator should know.
public struct TransportNotice: Sendable {
    public enum Kind: String, Sendable {
        case descriptorsExhausted = "descriptors_exhausted"
        case connectionsExhausted = "connections_exhausted"
        case addressExhausted = "address_exhausted"
        case handshakesThrottled = "handshakes_throttled"
        case acceptFailed = "accept_failed"
        case moveFailed = "move_failed"
        case unreadExhausted = "unread_exhausted"
    }

    public let kind: Kind
    public let detail: String
}

/// Totals since the start, for metrics; each is written by many threads and read by any.
public final class TransportCounters: Sendable {
    public let connectionsOpen = Counter()
    public let connectionsAccepted = Counter()
    public let connectionsRefused = Counter()
    public let connectionsMoved = Counter()
    public let requests = Counter()
    public let webSocketsOpen = Counter()
    /// Bytes of answers over HTTP that wait for clients to read them.
    public let unreadBytes = Counter()
    private let closed: Locked<[CloseReason: Int]> = Locked([:])

    func countClose(_ reason: CloseReason) {
        closed.withLock { $0[reason, default: 0] += 1 }
    }

    public var closesByReason: [CloseReason: Int] { closed.withLock { $0 } }
}
