import Glibc

/// An IPv4 or IPv6 address, 4 or 16 bytes in network order.
public struct IPAddress: Hashable, Sendable, CustomStringConvertible {
    public let bytes: [UInt8]

    public static let loopback = IPAddress(network: [127, 0, 0, 1])

    /// - Precondition: there are 4 or 16 bytes.
    public init(network bytes: [UInt8]) {
        precondition(bytes.count == 4 || bytes.count == 16)
        self.bytes = bytes
    }

    /// Reads `192.0.2.1` or `2001:db8::1`, without brackets, port or zone.
    public init?(_ text: String) {
        var four = in_addr()
        var sixteen = in6_addr()
        if inet_pton(AF_INET, text, &four) == 1 {
            bytes = withUnsafeBytes(of: &four) { Array($0) }
        } else if inet_pton(AF_INET6, text, &sixteen) == 1 {
            bytes = withUnsafeBytes(of: &sixteen) { Array($0) }
        } else {
            return nil
        }
    }

    public var isIPv6: Bool { bytes.count == 16 }

    /// An IPv4 address that came in the clothes of IPv6 (`::ffff:192.0.2.1`) undressed; any other as it is.
    public var unmapped: IPAddress {
        guard isIPv6, bytes.starts(with: [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xFF, 0xFF]) else { return self }
        return IPAddress(network: Array(bytes.suffix(4)))
    }

    /// Whether only this machine can reach it.
    public var isLoopback: Bool {
        let plain = unmapped
        return plain.isIPv6 ? plain.bytes == Array(repeating: 0, count: 15) + [1] : plain.bytes.first == 127
    }

    public var description: String {
        var text = [CChar](repeating: 0, count: Int(INET6_ADDRSTRLEN))
        inet_ntop(isIPv6 ? AF_INET6 : AF_INET, bytes, &text, socklen_t(text.count))
        return String(decoding: text.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }
}
