import Transport

/// The parts of `scheme://authority/rest` that a configuration has to look at.
struct PlainURL {
    let scheme: String
    let authority: String
    /// All behind the authority: path, query, fragment.
    let rest: String

    init?(_ text: String) {
        guard let colon = text.firstIndex(of: ":"), text[colon...].hasPrefix("://") else { return nil }
        scheme = text[..<colon].lowercased()
        guard let first = scheme.utf8.first, (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(first),
            scheme.utf8.allSatisfy({ Self.isSchemeByte($0) })
        else { return nil }
        let behind = text[colon...].dropFirst(3)
        let end = behind.firstIndex { "/?#".contains($0) } ?? behind.endIndex
        authority = String(behind[..<end])
        rest = String(behind[end...])
    }

    /// The authority without its port; an IPv6 address keeps its brackets. Nil if the port is no number.
    private var host: Substring? {
        let end = authority.hasPrefix("[") ? authority.firstIndex(of: "]") : authority.startIndex
        guard let end else { return nil }
        guard let colon = authority[end...].firstIndex(of: ":") else { return authority[...] }
        let port = authority[colon...].dropFirst()
        guard port.allSatisfy({ $0.isASCII && $0.isNumber }), UInt16(port) != nil else { return nil }
        return authority[..<colon]
    }

    var hasHost: Bool {
        guard let host, !host.isEmpty else { return false }
        if host.hasPrefix("[") { return host.hasSuffix("]") && IPAddress(String(host.dropFirst().dropLast())) != nil }
        return host.utf8.allSatisfy { Self.isHostByte($0) }
    }

    /// As a browser writes it: in small letters, without the port that the scheme implies.
    var origin: String {
        let implied = ["http": ":80", "https": ":443"][scheme]
        let plain = authority.lowercased()
        guard let implied, plain.hasSuffix(implied), let host, host.count + implied.count == plain.count else {
            return "\(scheme)://\(plain)"
        }
        return "\(scheme)://\(plain.dropLast(implied.count))"
    }

    var isLoopback: Bool {
        guard let host else { return false }
        let plain = host.hasPrefix("[") ? String(host.dropFirst().dropLast()) : String(host)
        return plain == "localhost" || IPAddress(plain)?.isLoopback == true
    }

    private static func isSchemeByte(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "+"),
            UInt8(ascii: "-"), UInt8(ascii: "."):
            true
        default: false
        }
    }

    /// Names in ASCII form; `*` stands here so that a wildcard gets a message of its own.
    private static func isHostByte(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"),
            UInt8(ascii: "*"):
            true
        default: false
        }
    }
}
