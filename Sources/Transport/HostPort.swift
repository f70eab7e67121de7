import Wire

/// A host, with or without a port, as in a `Host` header, an origin and a URL: `rooms.example`, `rooms.example:8080`,
/// `192.0.2.1`, `[2001:db8::1]:443`.
public struct HostPort: Hashable, Sendable, CustomStringConvertible {
    public enum Host: Hashable, Sendable {
        /// In small letters.
        case name(String)
        case address(IPAddress)

        /// Whether it means this machine everywhere (RFC 6761, section 6.3), so that no DNS server can redirect it.
        public var isLoopback: Bool {
            switch self {
            case .name(let name): name == "localhost" || name.hasSuffix(".localhost")
            case .address(let address): address.isLoopback
            }
        }
    }

    public let host: Host
    public let port: UInt16?

    public init(_ host: Host, port: UInt16? = nil) {
        self.host = host
        self.port = port
    }

    /// Refuses everything else: user information, a path, a blank, the zone of an address, or a colon without a port.
    public init?(_ text: some StringProtocol) {
        let hostEnd: String.Index
        if text.hasPrefix("[") {
            guard let bracket = text.firstIndex(of: "]") else { return nil }
            hostEnd = text.index(after: bracket)
        } else {
            hostEnd = text.firstIndex(of: ":") ?? text.endIndex
        }
        guard let host = Self.host(text[..<hostEnd]) else { return nil }
        self.host = host
        let behind = text[hostEnd...]
        guard !behind.isEmpty else {
            port = nil
            return
        }
        let digits = behind.dropFirst()
        guard behind.hasPrefix(":"), digits.utf8.count <= 5, digits.utf8.allSatisfy(ASCII.isDigit),
            let port = UInt16(digits)
        else { return nil }
        self.port = port
    }

    private static func host(_ text: some StringProtocol) -> Host? {
        guard !text.hasPrefix("[") else {
            let inner = String(text.dropFirst().dropLast())
            return inner.contains(":") ? IPAddress(inner).map(Host.address) : nil
        }
        guard !text.isEmpty, text.utf8.count <= 253, text.utf8.allSatisfy(isNameByte) else { return nil }
        let name = text.lowercased()
        return IPAddress(name).map(Host.address) ?? .name(name)
    }

    /// Names in another script are written in their ASCII form.
    private static func isNameByte(_ byte: UInt8) -> Bool {
        ASCII.isLetter(byte) || ASCII.isDigit(byte) || "-._".utf8.contains(byte)
    }

    public var description: String {
        let name =
            switch host {
            case .name(let name): name
            case .address(let address): address.isIPv6 ? "[\(address)]" : "\(address)"
            }
        return port.map { "\(name):\($0)" } ?? name
    }
}
