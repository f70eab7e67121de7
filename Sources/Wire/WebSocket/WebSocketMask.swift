/// The masking of RFC 6455, 5.3: an XOR with four bytes repeated.
///
/// A key is an integer whose lowest byte is the first on the wire.
public enum WebSocketMask {
    /// Masks or unmasks `bytes`; the first byte of the range meets the first byte of the key. Answers whether the
    /// outcome is all ASCII, which costs nothing here and spares a second pass over most texts.
    @inlinable @discardableResult
    public static func apply(_ key: UInt32, to bytes: inout MutableSpan<UInt8>, in range: Range<Int>) -> Bool {
        precondition(range.lowerBound >= 0 && range.upperBound <= bytes.count, "the range lies in the bytes")
        return bytes.withUnsafeMutableBytes { apply(key, to: UnsafeMutableRawBufferPointer(rebasing: $0[range])) }
    }

    /// Eight bytes at a time, at any alignment.
    @inlinable @discardableResult
    public static func apply(_ key: UInt32, to bytes: UnsafeMutableRawBufferPointer) -> Bool {
        let wideKey = UInt64(key) | UInt64(key) << 32
        let count = bytes.count
        var union: UInt64 = 0
        var index = 0
        while index &+ 8 <= count {
            let word = bytes.loadUnaligned(fromByteOffset: index, as: UInt64.self) ^ wideKey.littleEndian
            bytes.storeBytes(of: word, toByteOffset: index, as: UInt64.self)
            union |= word
            index &+= 8
        }
        var restOfKey = wideKey
        while index < count {
            let byte = bytes[index] ^ UInt8(truncatingIfNeeded: restOfKey)
            bytes[index] = byte
            union |= UInt64(byte)
            restOfKey >>= 8
            index &+= 1
        }
        return union & 0x8080_8080_8080_8080 == 0
    }

    /// The key as it stands after `count` bytes, for payload that comes in pieces.
    @inlinable public static func advance(_ key: UInt32, by count: Int) -> UInt32 {
        let bits = UInt32(truncatingIfNeeded: count & 3) << 3
        return key >> bits | key << (32 - bits)
    }
}
