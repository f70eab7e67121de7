import Glibc
import Wire

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
        guard let (host, port) = Self.split(rest[..<end], impliedPort: isSecure ? 443 : 80) else { return nil }
        self.host = host
        self.port = port
        let target = rest[end...]
        self.target = target.hasPrefix("/") ? String(target) : "/" + target
        guard isSecure || isLoopbackWithoutDNS else { return nil }
    }

    private static func split(_ authority: Substring, impliedPort: Int) -> (host: String, port: Int)? {
        let hostEnd: Substring.Index
        let isBracketed = authority.hasPrefix("[")
        if isBracketed {
            guard let bracket = authority.firstIndex(of: "]") else { return nil }
            hostEnd = authority.index(after: bracket)
        } else {
            hostEnd = authority.firstIndex(of: ":") ?? authority.endIndex
        }
        let host = isBracketed ? authority[..<hostEnd].dropFirst().dropLast() : authority[..<hostEnd]
        guard isBracketed ? isAddress(String(host), AF_INET6) : isName(host) else { return nil }
        let behind = authority[hostEnd...]
        if behind.isEmpty { return (String(host), impliedPort) }
        let digits = Array(behind.utf8.dropFirst())
        guard behind.hasPrefix(":"), let port = DecimalInteger.parse(digits.span), 1...65_535 ~= port else {
            return nil
        }
        return (String(host), port)
    }

    private static func isName(_ host: Substring) -> Bool {
        !host.isEmpty && host.utf8.count <= 253
            && host.utf8.allSatisfy { byte in
                ASCII.isDigit(byte) || ASCII.lowercased(byte) &- 0x61 < 26 || "-._".utf8.contains(byte)
            }
    }

    // MARK: What the host is

    /// Whether certificates name it as an address.
    package var isAddress: Bool { Self.isAddress(host, AF_INET) || Self.isAddress(host, AF_INET6) }

    /// Names below localhost are not: some resolvers ask their server for them.
    private var isLoopbackWithoutDNS: Bool {
        host == "localhost" || host == "::1" || (Self.isAddress(host, AF_INET) && host.hasPrefix("127."))
    }

    private static func isAddress(_ text: String, _ family: Int32) -> Bool {
        var bytes = in6_addr()
        return inet_pton(family, text, &bytes) == 1
    }

    /// The `Host` header.
    package var authority: String {
        let name = host.contains(":") ? "[\(host)]" : host
        return port == (isSecure ? 443 : 80) ? name : "\(name):\(port)"
    }
}
