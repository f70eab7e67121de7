/// What the text protocols ask of single bytes and short words. Only A–Z fold; bytes from 0x80 on are opaque.
public enum ASCII {
    public static let carriageReturn: UInt8 = 0x0d
    public static let lineFeed: UInt8 = 0x0a
    public static let space: UInt8 = 0x20
    public static let tab: UInt8 = 0x09

    @inlinable
    public static func isDigit(_ byte: UInt8) -> Bool { byte &- 0x30 < 10 }

    @inlinable
    public static func isLetter(_ byte: UInt8) -> Bool { (byte | 0x20) &- 0x61 < 26 }

    @inlinable
    public static func isBlank(_ byte: UInt8) -> Bool { byte == space || byte == tab }

    @inlinable
    public static func lowercased(_ byte: UInt8) -> UInt8 { byte &- 0x41 < 26 ? byte | 0x20 : byte }

    /// The value of a hexadecimal digit of either case.
    @inlinable
    public static func hexValue(_ byte: UInt8) -> UInt8? {
        if isDigit(byte) { return byte &- 0x30 }
        let letter = (byte | 0x20) &- 0x61
        return letter < 6 ? letter &+ 10 : nil
    }

    /// Whether the bytes of `range` are those of `word`.
    @inlinable
    public static func equals(_ bytes: Span<UInt8>, _ range: Range<Int>, _ word: StaticString) -> Bool {
        guard range.count == word.utf8CodeUnitCount, word.hasPointerRepresentation else { return false }
        let letters = UnsafeBufferPointer(start: word.utf8Start, count: word.utf8CodeUnitCount)
        for index in letters.indices where bytes[range.lowerBound + index] != letters[index] { return false }
        return true
    }

    /// Whether the bytes of `range` spell `word`, in whatever case either is written.
    @inlinable
    public static func equalsIgnoringCase(_ bytes: Span<UInt8>, _ range: Range<Int>, _ word: StaticString) -> Bool {
        guard range.count == word.utf8CodeUnitCount, word.hasPointerRepresentation else { return false }
        let letters = UnsafeBufferPointer(start: word.utf8Start, count: word.utf8CodeUnitCount)
        return equalsIgnoringCase(bytes, range, letters.span)
    }

    @inlinable
    public static func equalsIgnoringCase(_ bytes: Span<UInt8>, _ range: Range<Int>, _ word: Span<UInt8>) -> Bool {
        guard range.count == word.count else { return false }
        for index in word.indices where lowercased(bytes[range.lowerBound + index]) != lowercased(word[index]) {
            return false
        }
        return true
    }

    @inlinable
    public static func equalsIgnoringCase(_ bytes: Span<UInt8>, _ word: StaticString) -> Bool {
        equalsIgnoringCase(bytes, 0..<bytes.count, word)
    }

    /// The range without the blanks (space, tab) at both its ends.
    @inlinable
    public static func trimmed(_ bytes: Span<UInt8>, _ range: Range<Int>) -> Range<Int> {
        var lower = range.lowerBound
        var upper = range.upperBound
        while lower < upper, isBlank(bytes[lower]) { lower += 1 }
        while lower < upper, isBlank(bytes[upper - 1]) { upper -= 1 }
        return lower..<upper
    }
}

extension Span<UInt8> {
    /// The bytes of `range` as text. Bytes that are not UTF-8 become the replacement character.
    @inlinable
    public func text(_ range: Range<Int>) -> String {
        extracting(range).withUnsafeBufferPointer { String(decoding: $0, as: UTF8.self) }
    }
}
