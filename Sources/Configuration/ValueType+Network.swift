import Logging
import Transport

extension ValueType where Value == ListenAddress {
    static var listen: ValueType {
        ValueType("HOST:PORT", bounds: "HOST:PORT, [IPV6]:PORT or unix:/PATH", format: { $0.description }) { text in
            text.hasPrefix("unix:") ? unix(String(text.dropFirst(5))) : tcp(text)
        }
    }

    /// The kernel keeps a Unix socket's path in 108 bytes, the last of them zero.
    private static func unix(_ path: String) -> Result<ListenAddress, ValueFault> {
        let right = "Right is unix: and an absolute path of at most 107 bytes, like unix:/run/rooms/rooms.sock"
        guard path.hasPrefix("/"), !path.hasSuffix("/") else {
            return .failure(ValueFault("has no absolute path of a socket", right: right))
        }
        guard path.utf8.count <= 107, !path.unicodeScalars.contains(where: LogText.isUnsafe) else {
            return .failure(ValueFault("is too long or has a control character", right: right))
        }
        return .success(.unix(path: path))
    }

    private static func tcp(_ text: String) -> Result<ListenAddress, ValueFault> {
        let right = "Right is an address and a port, like 127.0.0.1:8080, 0.0.0.0:8080 (all) or [::]:8080"
        guard let colon = text.lastIndex(of: ":") else {
            return .failure(ValueFault("has no port", right: right))
        }
        let digits = text[colon...].dropFirst()
        guard digits.allSatisfy({ $0.isASCII && $0.isNumber }), let port = UInt16(digits) else {
            return .failure(ValueFault("has no port from 0 to 65535", right: right))
        }
        guard let address = address(text[..<colon]) else {
            return .failure(ValueFault("has no IP address before the port", right: right))
        }
        return .success(.tcp(address, port: port))
    }

    /// Only `localhost` may be a name. Other names are not looked up: binding must not depend on a resolver.
    private static func address(_ host: Substring) -> IPAddress? {
        if host == "localhost" { return .loopback }
        if host.hasPrefix("["), host.hasSuffix("]") {
            let inner = host.dropFirst().dropLast()
            return inner.contains(":") ? IPAddress(String(inner)) : nil
        }
        return host.contains(":") ? nil : IPAddress(String(host))
    }
}

extension ValueType where Value == AddressBlock {
    static var addressBlock: ValueType {
        ValueType("CIDR", bounds: "ADDRESS or ADDRESS/BITS", format: { $0.description }) { text in
            let right = "Right is an address or a block of them, like 10.0.0.0/8, 192.0.2.7 or fd00::/8"
            let parts = text.split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
            guard let base = IPAddress(String(parts.first ?? "")) else {
                return .failure(ValueFault("has no IP address", right: right))
            }
            let most = base.bitCount
            let digits = parts.count == 2 ? parts[1] : "\(most)"
            guard digits.allSatisfy({ $0.isASCII && $0.isNumber }), let bits = Int(digits), bits <= most else {
                return .failure(ValueFault("has no prefix from 0 to \(most)", right: right))
            }
            let block = AddressBlock(base: base, prefixBits: bits)
            guard block.isCanonical else {
                let meant = "Did you mean \(block.canonical)/\(bits) or \(base)/\(most)"
                return .failure(ValueFault("has bits beyond its prefix", right: "\(meant)? \(right)"))
            }
            return .success(block)
        }
    }
}
