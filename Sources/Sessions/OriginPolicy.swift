import Transport
import Wire

/// The web pages that may use the server.
///
/// Browsers send the origin of each page. Most programs send no `Origin`, and are not refused for that. Some do:
/// Starscream, the WebSocket of Swift clients, sends the beginning of the server's own URL.
public enum OriginPolicy: Sendable, Equatable {
    case any
    /// Pages that come from this server's own host name.
    case sameOrigin
    case listed(Set<WebOrigin>)

    /// Whether the request comes from a page that may use the server, or from no page.
    public func allows(_ exchange: HTTPExchange) -> Bool {
        allows(
            exchange.head.headers.first(named: "Origin"), host: exchange.head.authority, isSecure: exchange.isSecure)
    }

    /// - Parameters:
    ///   - host: the `Host` header.
    ///   - isSecure: whether the request came over TLS to this server.
    func allows(_ text: String?, host: String?, isSecure: Bool) -> Bool {
        guard self != .any, let text else { return true }
        guard let origin = WebOrigin(text) else { return false }
        let isOwn = host.flatMap { HostPort($0) }.map { origin.isOrigin(of: $0, isSecure: isSecure) } ?? false
        switch self {
        case .any: return true
        case .sameOrigin: return isOwn
        // Only a program has an origin with ws or wss. It names the server to which the program connects.
        case .listed(let allowed): return allowed.contains(origin) || (isOwn && origin.isOfProgram)
        }
    }
}

/// The value of `Origin`: a scheme, a host and a port. `wss://a.example` equals `https://A.example:443`.
public struct WebOrigin: Hashable, Sendable, CustomStringConvertible {
    /// In small letters; http and https also for ws and wss.
    private let scheme: String
    /// Without the port that the scheme implies.
    private let place: HostPort
    /// Whether the text has ws or wss, which the origin of a page never has. Comparisons ignore it.
    let isOfProgram: Bool

    /// Nil for a text that names no host, such as `null`, and for a text with more than an origin.
    public init?(_ text: String) {
        guard let separator = text.firstRange(of: "://") else { return nil }
        let written = text[..<separator.lowerBound].lowercased()
        guard let first = written.utf8.first, ASCII.isLetter(first), written.utf8.allSatisfy(Self.isSchemeByte),
            let place = HostPort(text[separator.upperBound...])
        else { return nil }
        switch written {
        case "ws": scheme = "http"
        case "wss": scheme = "https"
        default: scheme = written
        }
        isOfProgram = scheme != written
        let isImplied = place.port != nil && place.port == Self.defaultPort(scheme)
        self.place = isImplied ? HostPort(place.host) : place
    }

    private static func isSchemeByte(_ byte: UInt8) -> Bool {
        ASCII.isLetter(byte) || ASCII.isDigit(byte) || "+-.".utf8.contains(byte)
    }

    private static func defaultPort(_ scheme: String) -> UInt16? {
        switch scheme {
        case "http": 80
        case "https": 443
        default: nil
        }
    }

    /// Whether a page of this origin came from the server that a request names in `Host`.
    ///
    /// A host without a port means 443 over TLS. Without TLS it means 80, or 443 if a proxy has ended TLS. The server
    /// cannot tell these apart, so the origin's own scheme decides.
    func isOrigin(of host: HostPort, isSecure: Bool) -> Bool {
        guard let implied = Self.defaultPort(scheme), place.host == host.host else { return false }
        return (place.port ?? implied) == (host.port ?? (isSecure ? 443 : implied))
    }

    public static func == (one: Self, other: Self) -> Bool {
        one.scheme == other.scheme && one.place == other.place
    }

    public func hash(into hasher: inout Hasher) {
        hasher.combine(scheme)
        hasher.combine(place)
    }

    /// As a browser writes it.
    public var description: String { "\(scheme)://\(place)" }
}
