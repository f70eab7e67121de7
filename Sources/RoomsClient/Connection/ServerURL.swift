/// Where a server is: `http`, `https`, `ws` or `wss`, host and port, and the path if it is not `/socket.io/`.
package struct ServerURL: Equatable, Sendable {
    package let isSecure: Bool
    /// Without the brackets of an IPv6 address.
    let host: String
    let port: Int
    /// With a slash at both ends.
    package let path: String

    package init(_ text: String) throws(ClientError) {
        guard let scheme = Self.schemes.first(where: { text.lowercased().hasPrefix("\($0.key)://") }) else {
            throw .badAddress("\(text): it begins with http://, https://, ws:// or wss://")
        }
        isSecure = scheme.value
        let rest = text.dropFirst(scheme.key.count + 3)
        guard rest.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F && $0 != UInt8(ascii: "\\") }), !rest.contains("?"),
            !rest.contains("#"), !rest.contains("@")
        else { throw .badAddress("\(text): only a host, a port and a path may follow") }
        let slash = rest.firstIndex(of: "/") ?? rest.endIndex
        (host, port) = try Self.place(rest[..<slash], isSecure: isSecure, text)
        let path = rest[slash...]
        self.path = path.isEmpty || path == "/" ? "/socket.io/" : path.hasSuffix("/") ? String(path) : "\(path)/"
    }

    private static let schemes: KeyValuePairs = ["http": false, "https": true, "ws": false, "wss": true]

    private static func place(
        _ text: Substring, isSecure: Bool, _ whole: String
    ) throws(ClientError) -> (String, Int) {
        var host = text
        var port = isSecure ? 443 : 80
        let bracket = text.lastIndex(of: "]")
        if let colon = text.lastIndex(of: ":"), bracket.map({ colon > $0 }) ?? true {
            let digits = text[text.index(after: colon)...]
            guard let number = Int(digits), (1...65_535).contains(number), digits.utf8.count <= 5 else {
                throw .badAddress("\(whole): \(digits) is no port")
            }
            port = number
            host = text[..<colon]
        }
        if host.hasPrefix("["), host.hasSuffix("]") { host = host.dropFirst().dropLast() }
        guard !host.isEmpty, !host.contains("["), !host.contains("]") else { throw .badAddress("\(whole): no host") }
        return (String(host), port)
    }

    /// Whether the host is an address: those are not told in TLS, and checked differently.
    var isAddress: Bool {
        if case .success = SocketAddress.find(host, port, onlyNumeric: true) { return true }
        return false
    }

    /// As in the header `Host`.
    package var authority: String {
        let shown = host.contains(":") ? "[\(host)]" : host
        return port == (isSecure ? 443 : 80) ? shown : "\(shown):\(port)"
    }

    /// - Parameter room: a room by which a load balancer may choose the server.
    func target(_ transport: String, sid: String?, room: String? = nil) -> String {
        "\(path)?EIO=4&transport=\(transport)" + (room.map { "&room=\(Self.escaped($0))" } ?? "")
            + (sid.map { "&sid=\($0)" } ?? "")
    }

    private static func escaped(_ text: String) -> String {
        var escaped = ""
        for byte in text.utf8 {
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"), UInt8(ascii: "."):
                escaped.unicodeScalars.append(Unicode.Scalar(byte))
            default: escaped += (byte < 16 ? "%0" : "%") + String(byte, radix: 16, uppercase: true)
            }
        }
        return escaped
    }
}
