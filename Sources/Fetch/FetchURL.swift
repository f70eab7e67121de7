/// The address of a request: `https://host[:port]/path?query`, or http on loopback.
package struct FetchURL: Sendable, Equatable {
    package let isSecure: Bool
    /// A name in ASCII or an address, without brackets.
    package let host: String
    package let port: Int
    /// Path and query as they are sent.
    package let target: String

    package init?(_ text: String) {
        guard text.utf8.count <= 2_048, text.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7f }), !text.contains("#"),
            let separator = text.firstIndex(of: ":"), text[separator...].hasPrefix("://")
        else { return nil }
        switch text[..<separator].lowercased() {
        case "https": isSecure = true
        case "http": isSecure = false
        default: return nil
        }
        let rest = text[separator...].dropFirst(3)
        let end = rest.firstIndex { "/?".contains($0) } ?? rest.endIndex
        guard let address = ServerAddress(rest[..<end], impliedPort: isSecure ? 443 : 80) else { return nil }
        (host, port) = (address.host, address.port)
        let target = rest[end...]
        self.target = target.hasPrefix("/") ? String(target) : "/" + target
        guard isSecure || address.isLoopbackWithoutDNS else { return nil }
    }

    /// The `Host` header.
    package var authority: String {
        let name = host.contains(":") ? "[\(host)]" : host
        return port == (isSecure ? 443 : 80) ? name : "\(name):\(port)"
    }
}
