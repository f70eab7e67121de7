import Threads

/// The state that all shards of a server share: limits, counters, and the TLS context for new connections.
public final class ServerState: Sendable {
    public let limits: TransportLimits
    public let counters = TransportCounters()
    /// Gets notices for operators, each kind at most once in its pause.
    let report: @Sendable (TransportNotice) -> Void
    /// Proxies that may name their clients, by the PROXY protocol or by `X-Forwarded-For`.
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

    public func isTrustedProxy(_ peer: PeerAddress) -> Bool {
        guard let address = peer.address else { return true }
        guard address != .unspecified else { return false }
        return trustedProxies.contains { $0.contains(address) }
    }

    /// A proxy connects for many clients. Loopback belongs to the operator.
    private func isExempt(_ peer: PeerAddress) -> Bool {
        peer.isLocal || isTrustedProxy(peer)
    }

    /// The address under which a peer is counted; nil for a peer that is not counted. An IPv6 client has a whole
    /// network of addresses, which count as one.
    public func countedAddress(of peer: PeerAddress) -> IPAddress? {
        guard let address = peer.address, !isExempt(peer) else { return nil }
        guard case .v6(let high, _) = address else { return address }
        return .v6(high, 0)
    }

    /// Counts a connection, or returns false when its address has reached its bound.
    func admit(_ peer: PeerAddress) -> Bool { connections.add(countedAddress(of: peer)) }

    func release(_ peer: PeerAddress) { connections.remove(countedAddress(of: peer)) }

    /// A proxy names a client by no address that the server can read.
    func noticeUnreadable(_ proxy: PeerAddress, _ sent: String, now: Int64) {
        notice(.addressUnreadable, "\(proxy.text) sends \(sent)", now: now)
    }

    func notice(_ kind: TransportNotice.Kind, _ detail: String, now: Int64) {
        let due = lastNotice.withLock { last in
            if let before = last[kind], now - before < kind.pauseMilliseconds { return false }
            last[kind] = now
            return true
        }
        if due { report(TransportNotice(kind: kind, detail: detail)) }
    }
}

/// A notice for operators.
public struct TransportNotice: Sendable {
    public enum Kind: String, Sendable {
        case descriptorsExhausted = "descriptors_exhausted"
        case connectionsExhausted = "connections_exhausted"
        case addressExhausted = "address_exhausted"
        case handshakesThrottled = "handshakes_throttled"
        case acceptFailed = "accept_failed"
        case moveFailed = "move_failed"
        case unreadExhausted = "unread_exhausted"
        case addressUnreadable = "address_unreadable"

        /// The shortest time between two. What a wrong setting of a proxy causes comes with each request.
        var pauseMilliseconds: Int64 { self == .addressUnreadable ? 3_600_000 : 1_000 }
    }

    public let kind: Kind
    public let detail: String
}

/// Totals since the start, for metrics. Any thread may read or write each of them.
public final class TransportCounters: Sendable {
    public let connectionsOpen = Counter()
    public let connectionsAccepted = Counter()
    public let connectionsRefused = Counter()
    public let connectionsMoved = Counter()
    public let requests = Counter()
    public let webSocketsOpen = Counter()
    /// Bytes of HTTP answers that wait for clients to read them.
    public let unreadBytes = Counter()
    private let closed: Locked<[CloseReason: Int]> = Locked([:])

    func countClose(_ reason: CloseReason) {
        closed.withLock { $0[reason, default: 0] += 1 }
    }

    public var closesByReason: [CloseReason: Int] { closed.withLock { $0 } }
}
