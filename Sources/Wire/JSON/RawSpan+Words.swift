/// Reading JSON text a byte or a word at a time. What lies beyond the end of the text reads as zero: NUL has no place in
/// JSON, so the scanner meets the end as one more wrong byte and needs no case of its own for it.
///
/// All reading of the scanner goes through here; the comparison before each unchecked load is its bounds check.
extension RawSpan {
    @inline(__always)
    func byte(at offset: Int) -> UInt8 {
        guard UInt(bitPattern: offset) < UInt(bitPattern: byteCount) else { return 0 }
        return unsafeLoad(fromUncheckedByteOffset: offset, as: UInt8.self)
    }

    /// Eight bytes as a number, the first one lowest.
    @inline(__always)
    func word(at offset: Int) -> UInt64 {
        guard offset >= 0, offset <= byteCount &- 8 else { return lastWord(at: offset) }
        return UInt64(littleEndian: unsafeLoadUnaligned(fromUncheckedByteOffset: offset, as: UInt64.self))
    }

    /// The bits of the first bytes of a word: of none for a negative count, of all for more than eight.
    static func mask(count: Int) -> UInt64 {
        count <= 0 ? 0 : ~0 >> UInt64(64 - 8 * min(count, 8))
    }

    @inline(never)
    private func lastWord(at offset: Int) -> UInt64 {
        guard 0..<byteCount ~= offset else { return 0 }
        // The last whole word without the bytes before the offset, if the text is long enough to have one.
        if byteCount >= 8 { return word(at: byteCount - 8) >> UInt64(8 * (8 - (byteCount - offset))) }
        return (offset..<byteCount).reversed().reduce(0) { $0 << 8 | UInt64(byte(at: $1)) }
    }
}

/// Tests of eight bytes at once. Each gives a word whose lowest bit that is set is the high bit of the byte found.
extension UInt64 {
    private static let highBits: UInt64 = 0x8080_8080_8080_8080

    /// The first byte that is not plain inside a JSON string: a quotation mark, a backslash, a control character or,
    /// where `nonASCII` has the high bits set, a byte of a multi-byte character.
    ///
    /// A subtraction lets a borrow run upwards only out of a byte that is itself not plain, so the lowest is right.
    @inline(__always)
    func notPlain(_ nonASCII: UInt64) -> UInt64 {
        let quotes = (self ^ 0x2222_2222_2222_2222) &- 0x0101_0101_0101_0101
        let backslashes = (self ^ 0x5c5c_5c5c_5c5c_5c5c) &- 0x0101_0101_0101_0101
        let controls = self &- 0x2020_2020_2020_2020
        return ((quotes | backslashes | controls) & ~self & Self.highBits) | (self & nonASCII)
    }

    /// The first byte that is not a digit.
    @inline(__always)
    var notDigit: UInt64 {
        let values = self ^ 0x3030_3030_3030_3030
        // Seven bits and at most 0x76 more stay within their byte, and reach its high bit from ten on.
        return ((values & ~Self.highBits) &+ 0x7676_7676_7676_7676 | values) & Self.highBits
    }

    /// The index of the byte found by one of these tests; 8 if there was none.
    @inline(__always)
    var byteIndex: Int { trailingZeroBitCount &>> 3 }
}
