/// Checks UTF-8 strictly and piece by piece: no surrogates, no overlong forms, nothing above U+10FFFF.
///
/// A piece may end in the middle of a character; the state between two pieces is what the next byte must be. The first
/// byte that cannot belong to valid text makes `consume` answer false, without waiting for the rest of its character.
public struct UTF8Validator: Sendable {
    /// How many continuation bytes the character begun still needs.
    @usableFromInline var missing: UInt8 = 0
    /// What the next continuation byte may be. Narrower than 0x80...0xBF only right after E0, ED, F0 and F4.
    @usableFromInline var lowest: UInt8 = 0x80
    @usableFromInline var highest: UInt8 = 0xBF

    @inlinable public init() {}

    /// True where text may end: no character is half read.
    @inlinable public var isComplete: Bool { missing == 0 }

    /// Whether all of `bytes` is valid text by itself.
    @inlinable public static func isValid(_ bytes: Span<UInt8>) -> Bool {
        var validator = UTF8Validator()
        return validator.consume(bytes) && validator.isComplete
    }

    /// Goes on with the next piece. Once it has answered false the validator is spent.
    @inlinable public mutating func consume(_ bytes: Span<UInt8>) -> Bool {
        let raw = bytes.bytes
        let count = raw.byteCount
        var index = 0
        while missing != 0 && index < count {
            guard step(bytes[index]) else { return false }
            index &+= 1
        }
        while true {
            index = Self.firstNonASCII(bytes, from: index)
            // Four bytes hold any character. Only the last few bytes of a piece are checked one by one.
            while index &+ 4 <= count {
                let word = UInt32(littleEndian: raw.unsafeLoadUnaligned(fromByteOffset: index, as: UInt32.self))
                if word & 0x80 == 0 { break }
                let length = Self.characterLength(word)
                if length == 0 { return false }
                index &+= length
            }
            if index &+ 4 > count { break }
        }
        while index < count {
            guard step(bytes[index]) else { return false }
            index &+= 1
        }
        return true
    }

    /// The length of the character that begins `word`, which is not ASCII and whose lowest byte comes first; 0 where it
    /// is none. The patterns test the lead's marker bits and every continuation byte's at once.
    @inlinable @inline(__always) static func characterLength(_ word: UInt32) -> Int {
        if word & 0x0000_C0E0 == 0x0000_80C0 {
            // C0 and C1 would be overlong.
            return word & 0x1E != 0 ? 2 : 0
        }
        if word & 0x00C0_C0F0 == 0x0080_80E0 {
            // All zero is overlong (E0 80...9F), 0x200D a surrogate (ED A0...BF).
            let edge = word & 0x0000_200F
            return edge != 0 && edge != 0x200D ? 3 : 0
        }
        if word & 0xC0C0_C0F8 == 0x8080_80F0 {
            // All zero is overlong (F0 80...8F); F4 goes up to 8F, F5 to F7 not at all.
            let edge = word & 0x0000_3007
            return edge != 0 && (edge & 0x04 == 0 || edge == 0x04) ? 4 : 0
        }
        return 0
    }

    /// Skips ASCII, eight bytes at a time.
    @inlinable static func firstNonASCII(_ bytes: Span<UInt8>, from start: Int) -> Int {
        let highBits: UInt64 = 0x8080_8080_8080_8080
        let raw = bytes.bytes
        let count = raw.byteCount
        var index = start
        while index &+ 8 <= count {
            let word = UInt64(littleEndian: raw.unsafeLoadUnaligned(fromByteOffset: index, as: UInt64.self))
            let found = word & highBits
            if found != 0 { return index &+ (found.trailingZeroBitCount >> 3) }
            index &+= 8
        }
        while index < count && bytes[index] < 0x80 { index &+= 1 }
        return index
    }

    @inlinable mutating func step(_ byte: UInt8) -> Bool {
        if missing == 0 { return begin(with: byte) }
        guard byte >= lowest && byte <= highest else { return false }
        missing &-= 1
        lowest = 0x80
        highest = 0xBF
        return true
    }

    /// The first byte of a character says how long it is and, for four values, narrows the second byte: E0 and F0
    /// would otherwise begin overlong forms, ED surrogates, F4 what lies beyond U+10FFFF.
    @inlinable mutating func begin(with byte: UInt8) -> Bool {
        switch byte {
        case 0x00...0x7F: return true
        case 0xC2...0xDF: missing = 1
        case 0xE0...0xEF:
            missing = 2
            if byte == 0xE0 { lowest = 0xA0 } else if byte == 0xED { highest = 0x9F }
        case 0xF0...0xF4:
            missing = 3
            if byte == 0xF0 { lowest = 0x90 } else if byte == 0xF4 { highest = 0x8F }
        default: return false
        }
        return true
    }
}
