import Glibc
import Wire

/// The part of a URL that names a server: `host[:port]`.
struct ServerAddress: Equatable {
    /// A name in ASCII or an address, without brackets.
    let host: String
    let port: Int

    init?(_ authority: Substring, impliedPort: Int) {
        let hostEnd: Substring.Index
        let isBracketed = authority.hasPrefix("[")
        if isBracketed {
            guard let bracket = authority.firstIndex(of: "]") else { return nil }
            hostEnd = authority.index(after: bracket)
        } else {
            hostEnd = authority.firstIndex(of: ":") ?? authority.endIndex
        }
        let host = isBracketed ? authority[..<hostEnd].dropFirst().dropLast() : authority[..<hostEnd]
        guard isBracketed ? Self.isAddress(String(host), AF_INET6) : Self.isName(host) else { return nil }
        let behind = authority[hostEnd...]
        self.host = String(host)
        guard !behind.isEmpty else {
            port = impliedPort
            return
        }
        let digits = Array(behind.utf8.dropFirst())
        guard behind.hasPrefix(":"), let port = DecimalInteger.parse(digits.span), 1...65_535 ~= port else {
            return nil
        }
        self.port = port
    }

    private static func isName(_ host: Substring) -> Bool {
        !host.isEmpty && host.utf8.count <= 253
            && host.utf8.allSatisfy { byte in
                ASCII.isDigit(byte) || ASCII.lowercased(byte) &- 0x61 < 26 || "-._".utf8.contains(byte)
            }
    }

    // MARK: What the host is

    /// Whether a host is an address in digits.
    static func isNumeric(_ host: String) -> Bool { isAddress(host, AF_INET) || isAddress(host, AF_INET6) }

    /// Names below localhost are not: some resolvers ask their server for them.
    var isLoopbackWithoutDNS: Bool {
        host == "localhost" || host == "::1" || (Self.isAddress(host, AF_INET) && host.hasPrefix("127."))
    }

    private static func isAddress(_ text: String, _ family: Int32) -> Bool {
        var bytes = in6_addr()
        return inet_pton(family, text, &bytes) == 1
    }
}
