/// Where a server listens.
public enum ListenAddress: Sendable, Hashable, CustomStringConvertible {
    /// A port of an address; port 0 is any free one.
    case tcp(IPAddress, port: UInt16)
    /// A Unix socket at a path.
    case unix(path: String)

    /// Whether only this machine can reach it. The file system decides which users can open a Unix socket.
    public var isLocal: Bool {
        if case .tcp(let address, _) = self { address.isLoopback } else { true }
    }

    public var isUnix: Bool {
        if case .unix = self { true } else { false }
    }

    public var description: String {
        switch self {
        case .tcp(let address, let port): address.isIPv6 ? "[\(address)]:\(port)" : "\(address):\(port)"
        case .unix(let path): "unix:\(path)"
        }
    }
}

/// The settings of a transport server.
public struct TransportConfiguration: Sendable {
    public var addresses: [ListenAddress] = []
    /// Event loops, each on a thread of its own with its own listening sockets.
    public var shardCount = 1
    public var tls: TLSFiles?
    public var limits = TransportLimits()
    public var trustedProxies: [AddressBlock] = []
    /// Expect a PROXY protocol header (version 1 or 2) on every connection from a trusted proxy.
    public var proxyProtocol = false
    /// Take the peer's address from `X-Forwarded-For` when a trusted proxy sent it.
    public var forwardedFor = false
    public var report: @Sendable (TransportNotice) -> Void = { _ in }

    public init() {}
}

/// The files of a server's certificate.
public struct TLSFiles: Sendable {
    public var certificate: String
    public var key: String
    public var requireTLS13: Bool

    public init(certificate: String, key: String, requireTLS13: Bool = false) {
        self.certificate = certificate
        self.key = key
        self.requireTLS13 = requireTLS13
    }
}

/// Why a server could not start or reload.
public struct TransportError: Error, CustomStringConvertible, Sendable {
    public let description: String

    public init(description: String) {
        self.description = description
    }
}
