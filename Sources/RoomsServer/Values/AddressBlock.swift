/// A block of addresses as CIDR writes it: `10.0.0.0/8`, `2001:db8::/32`.
public struct AddressBlock: Hashable, Sendable, CustomStringConvertible {
    public let base: IPAddress
    public let prefixBits: Int

    /// - Precondition: `prefixBits` fits the address.
    init(base: IPAddress, prefixBits: Int) {
        precondition((0...base.bytes.count * 8).contains(prefixBits))
        self.base = base
        self.prefixBits = prefixBits
    }

    /// Whether the address lies in the block; an IPv4 address in the clothes of IPv6 counts as IPv4.
    public func contains(_ address: IPAddress) -> Bool {
        let bytes = address.unmapped.bytes
        guard bytes.count == base.bytes.count else { return false }
        for index in base.bytes.indices where (bytes[index] ^ base.bytes[index]) & mask(of: index) != 0 {
            return false
        }
        return true
    }

    /// Whether the base has no bits beyond the prefix, as it should be written.
    var isCanonical: Bool { canonical == base }

    /// The first address of the block that `base` lies in.
    var canonical: IPAddress {
        let bytes = base.bytes.indices.map { base.bytes[$0] & mask(of: $0) }
        return IPAddress(network: bytes)
    }

    public var description: String { "\(base)/\(prefixBits)" }

    private func mask(of index: Int) -> UInt8 {
        let bits = min(8, max(0, prefixBits - index * 8))
        return UInt8(truncatingIfNeeded: 0xFF00 >> bits)
    }
}
