/// A place where the server takes connections.
public enum ListenAddress: Hashable, Sendable, CustomStringConvertible {
    /// A port of an address; port 0 is any free one.
    case tcp(IPAddress, port: UInt16)
    /// A Unix socket at an absolute path.
    case unix(path: String)

    /// Whether only this machine can reach it. Who may open a Unix socket is the file system's affair.
    public var isLocal: Bool {
        switch self {
        case .tcp(let address, _): address.isLoopback
        case .unix: true
        }
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
