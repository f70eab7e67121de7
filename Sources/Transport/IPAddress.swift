import Glibc

/// An IPv4 or IPv6 address. An IPv4 address written as IPv6 (`::ffff:192.0.2.1`) is that IPv4 address.
public enum IPAddress: Hashable, Sendable, CustomStringConvertible {
    case v4(UInt32)
    case v6(UInt64, UInt64)

    public static let loopback = IPAddress.v4(0x7f00_0001)
    /// The address of nobody: `0.0.0.0`.
    public static let unspecified = IPAddress.v4(0)

    /// Reads `192.0.2.1` or `2001:db8::1`, without brackets, port or zone.
    public init?(_ text: String) {
        var v4 = in_addr()
        var v6 = in6_addr()
        if inet_pton(AF_INET, text, &v4) == 1 {
            self = .v4(UInt32(bigEndian: v4.s_addr))
        } else if inet_pton(AF_INET6, text, &v6) == 1 {
            self.init(v6)
        } else {
            return nil
        }
    }

    init(_ address: in6_addr) {
        let halves = withUnsafeBytes(of: address) {
            (
                UInt64(bigEndian: $0.load(as: UInt64.self)),
                UInt64(bigEndian: $0.load(fromByteOffset: 8, as: UInt64.self))
            )
        }
        self.init(high: halves.0, low: halves.1)
    }

    init(high: UInt64, low: UInt64) {
        self = high == 0 && low >> 32 == 0xffff ? .v4(UInt32(truncatingIfNeeded: low)) : .v6(high, low)
    }

    public var isIPv6: Bool {
        if case .v6 = self { true } else { false }
    }

    public var bitCount: Int { isIPv6 ? 128 : 32 }

    /// Whether only this machine can reach it.
    public var isLoopback: Bool {
        switch self {
        case .v4(let bits): bits >> 24 == 127
        case .v6(let high, let low): high == 0 && low == 1
        }
    }

    public var description: String {
        switch self {
        case .v4(let bits):
            return "\(bits >> 24).\(bits >> 16 & 255).\(bits >> 8 & 255).\(bits & 255)"
        case .v6:
            var address = in6
            var text = [CChar](repeating: 0, count: Int(INET6_ADDRSTRLEN))
            inet_ntop(AF_INET6, &address, &text, socklen_t(text.count))
            return String(decoding: text.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
        }
    }

    /// The network that the address is probably one of: /24 of IPv4, and so many bits of IPv6.
    public func network(v6Bits: Int = 48) -> AddressBlock {
        let block = AddressBlock(base: self, prefixBits: isIPv6 ? v6Bits : 24)
        return AddressBlock(base: block.canonical, prefixBits: block.prefixBits)
    }

    var in6: in6_addr {
        var address = in6_addr()
        guard case .v6(let high, let low) = self else { return address }
        withUnsafeMutableBytes(of: &address) {
            $0.storeBytes(of: high.bigEndian, as: UInt64.self)
            $0.storeBytes(of: low.bigEndian, toByteOffset: 8, as: UInt64.self)
        }
        return address
    }
}

/// A block of addresses as CIDR writes it: `10.0.0.0/8`, `2001:db8::/32`.
public struct AddressBlock: Hashable, Sendable, CustomStringConvertible {
    public let base: IPAddress
    public let prefixBits: Int

    /// - Precondition: `prefixBits` fits the address.
    public init(base: IPAddress, prefixBits: Int) {
        precondition((0...base.bitCount).contains(prefixBits))
        self.base = base
        self.prefixBits = prefixBits
    }

    /// Reads `10.0.0.0/8`, or an address alone for the block of just that one.
    public init?(_ text: String) {
        let parts = text.split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
        guard let first = parts.first, let base = IPAddress(String(first)) else { return nil }
        let digits = parts.count == 2 ? parts[1] : "\(base.bitCount)"
        guard digits.utf8.allSatisfy({ (0x30...0x39).contains($0) }), let bits = Int(digits), bits <= base.bitCount
        else { return nil }
        self.init(base: base, prefixBits: bits)
    }

    public func contains(_ address: IPAddress) -> Bool {
        address.bitCount == base.bitCount && Self.first(of: address, prefixBits) == canonical
    }

    /// Whether the base has no bits beyond the prefix, as it should be written.
    public var isCanonical: Bool { canonical == base }

    /// The first address of the block that `base` lies in.
    public var canonical: IPAddress { Self.first(of: base, prefixBits) }

    public var description: String { "\(base)/\(prefixBits)" }

    private static func first(of address: IPAddress, _ bits: Int) -> IPAddress {
        switch address {
        case .v4(let number): .v4(bits == 0 ? 0 : number & ~0 << UInt32(32 - bits))
        case .v6(let high, let low) where bits <= 64: .v6(bits == 0 ? 0 : high & ~0 << UInt64(64 - bits), low & 0)
        case .v6(let high, let low): .v6(high, low & ~0 << UInt64(128 - bits))
        }
    }
}
