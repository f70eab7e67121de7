import Glibc

/// The peer of a connection: an IP address with its port, or the other end of a Unix socket.
public struct PeerAddress: Sendable, Hashable {
    public enum Host: Sendable, Hashable {
        case unix
        case ip(IPAddress)
    }

    /// The client of a proxy that names no address that the server can read. All such clients are one for limits and bans.
    static let unknown = PeerAddress(.unspecified)

    public var host: Host
    public var port: UInt16

    init(host: Host, port: UInt16) {
        self.host = host
        self.port = port
    }

    public init(_ address: IPAddress, port: UInt16 = 0) {
        self.init(host: .ip(address), port: port)
    }

    init(_ storage: sockaddr_storage) {
        var storage = storage
        switch Int32(storage.ss_family) {
        case AF_INET:
            let address = withUnsafeBytes(of: &storage) { $0.load(as: sockaddr_in.self) }
            self.init(.v4(UInt32(bigEndian: address.sin_addr.s_addr)), port: UInt16(bigEndian: address.sin_port))
        case AF_INET6:
            let address = withUnsafeBytes(of: &storage) { $0.load(as: sockaddr_in6.self) }
            self.init(IPAddress(address.sin6_addr), port: UInt16(bigEndian: address.sin6_port))
        default:
            self.init(host: .unix, port: 0)
        }
    }

    /// Reads an address without a port, as proxies write it.
    public init?(_ text: String) {
        guard let address = IPAddress(text) else { return nil }
        self.init(address)
    }

    /// Reads an address as proxies name a client in `X-Forwarded-For`: with or without a port, IPv6 with a port in brackets.
    init?(stated text: String) {
        if let address = IPAddress(text) {
            self.init(address)
        } else if case .address(let address)? = HostPort(text)?.host {
            self.init(address)
        } else {
            return nil
        }
    }

    /// The IP address; nil for the peer of a Unix socket.
    public var address: IPAddress? {
        if case .ip(let address) = host { address } else { nil }
    }

    public var isLocal: Bool { address?.isLoopback ?? true }

    /// The address as text, without the port.
    public var text: String { address?.description ?? "unix" }
}
