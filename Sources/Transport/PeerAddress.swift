import Glibc

/// Whom a connection comes from: an IP address with its port, or the other end of a Unix socket.
public struct PeerAddress: Sendable, Hashable {
    public enum Host: Sendable, Hashable {
        case unix
        case v4(UInt32)
        case v6(UInt64, UInt64)
    }

    public var host: Host
    public var port: UInt16

    public init(host: Host, port: UInt16 = 0) {
        self.host = host
        self.port = port
    }

    public init(_ storage: sockaddr_storage) {
        var storage = storage
        switch Int32(storage.ss_family) {
        case AF_INET:
            let address = withUnsafeBytes(of: &storage) { $0.load(as: sockaddr_in.self) }
            self.init(host: .v4(UInt32(bigEndian: address.sin_addr.s_addr)), port: UInt16(bigEndian: address.sin_port))
        case AF_INET6:
            let address = withUnsafeBytes(of: &storage) { $0.load(as: sockaddr_in6.self) }
            let halves = withUnsafeBytes(of: address.sin6_addr) {
                (
                    UInt64(bigEndian: $0.load(as: UInt64.self)),
                    UInt64(bigEndian: $0.load(fromByteOffset: 8, as: UInt64.self))
                )
            }
            // An IPv4 peer of a dual-stack socket is that IPv4 address.
            if halves.0 == 0, halves.1 >> 32 == 0xffff {
                self.init(host: .v4(UInt32(truncatingIfNeeded: halves.1)), port: UInt16(bigEndian: address.sin6_port))
            } else {
                self.init(host: .v6(halves.0, halves.1), port: UInt16(bigEndian: address.sin6_port))
            }
        default:
            self.init(host: .unix)
        }
    }

    /// Reads an address without a port, as proxies write it.
    public init?(_ text: String) {
        var v4 = in_addr()
        var v6 = in6_addr()
        var storage = sockaddr_storage()
        if inet_pton(AF_INET, text, &v4) == 1 {
            self.init(host: .v4(UInt32(bigEndian: v4.s_addr)))
        } else if inet_pton(AF_INET6, text, &v6) == 1 {
            storage.ss_family = sa_family_t(AF_INET6)
            withUnsafeMutableBytes(of: &storage) { $0.storeBytes(of: v6, toByteOffset: 8, as: in6_addr.self) }
            self.init(storage)
        } else {
            return nil
        }
    }

    public var isLoopback: Bool {
        switch host {
        case .unix: true
        case .v4(let bits): bits >> 24 == 127
        case .v6(let high, let low): high == 0 && low == 1
        }
    }

    /// The address as text, without the port.
    public var text: String {
        switch host {
        case .unix: return "unix"
        case .v4(let bits):
            return "\(bits >> 24).\(bits >> 16 & 255).\(bits >> 8 & 255).\(bits & 255)"
        case .v6(let high, let low):
            var address = in6_addr()
            withUnsafeMutableBytes(of: &address) {
                $0.storeBytes(of: high.bigEndian, as: UInt64.self)
                $0.storeBytes(of: low.bigEndian, toByteOffset: 8, as: UInt64.self)
            }
            var buffer = [UInt8](repeating: 0, count: Int(INET6_ADDRSTRLEN))
            let written = buffer.withUnsafeMutableBytes {
                inet_ntop(AF_INET6, &address, $0.baseAddress?.assumingMemoryBound(to: CChar.self), socklen_t($0.count))
            }
            return written == nil ? "?" : String(decoding: buffer.prefix { $0 != 0 }, as: UTF8.self)
        }
    }
}

/// A range of addresses, such as `10.0.0.0/8` or `::1`.
public struct AddressRange: Sendable, Hashable {
    public let host: PeerAddress.Host
    public let prefixBits: Int

    public init?(_ text: String) {
        let parts = text.split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
        guard let first = parts.first, let address = PeerAddress(String(first)) else { return nil }
        let widest = if case .v4 = address.host { 32 } else { 128 }
        var bits = widest
        if parts.count == 2 {
            guard let given = Int(parts[1]), (0...widest).contains(given) else { return nil }
            bits = given
        }
        host = address.host
        prefixBits = bits
    }

    public func contains(_ address: PeerAddress) -> Bool {
        switch (host, address.host) {
        case (.v4(let ours), .v4(let theirs)):
            return prefixBits == 0 || (ours ^ theirs) >> UInt32(32 - prefixBits) == 0
        case (.v6(let high, let low), .v6(let otherHigh, let otherLow)):
            if prefixBits == 0 { return true }
            if prefixBits <= 64 { return (high ^ otherHigh) >> UInt64(64 - prefixBits) == 0 }
            return high == otherHigh && (low ^ otherLow) >> UInt64(128 - prefixBits) == 0
        default:
            return false
        }
    }
}
