/// Reading strings from JSON text that has been checked.
enum JSONString {
    /// The text between the quotation marks with its escape sequences resolved, as UTF-8.
    static func unescaped(_ text: RawSpan, _ content: Range<Int>) -> [UInt8] {
        let text = text.extracting(first: content.upperBound)
        var result: [UInt8] = []
        result.reserveCapacity(content.count)
        var position = content.lowerBound
        while position < content.upperBound {
            let plainEnd = text.plainEnd(from: position, nonASCII: 0)
            text.extracting(position..<plainEnd).withUnsafeBytes { result.append(contentsOf: $0) }
            position = plainEnd
            if position < content.upperBound { position = appendEscape(text, position + 1, to: &result) }
        }
        return result
    }

    /// - Returns: the position after the escape sequence whose letter is at `position`.
    private static func appendEscape(_ text: RawSpan, _ position: Int, to result: inout [UInt8]) -> Int {
        let letter = text.byte(at: position)
        switch letter {
        case UInt8(ascii: "b"): result.append(0x08)
        case UInt8(ascii: "f"): result.append(0x0c)
        case UInt8(ascii: "n"): result.append(0x0a)
        case UInt8(ascii: "r"): result.append(0x0d)
        case UInt8(ascii: "t"): result.append(0x09)
        case JSONByte.u: return appendUnicode(text, position + 1, to: &result)
        default: result.append(letter)
        }
        return position + 1
    }

    private static func appendUnicode(_ text: RawSpan, _ position: Int, to result: inout [UInt8]) -> Int {
        var end = position + 4
        var scalar = unit(text, position)
        if 0xd800...0xdbff ~= scalar {
            // The scanner has made sure that the other half follows, after its own backslash and u.
            scalar = 0x10000 + (scalar - 0xd800) << 10 + (unit(text, position + 6) & 0x3ff)
            end = position + 10
        }
        result.append(contentsOf: String(Unicode.Scalar(scalar) ?? "\u{fffd}").utf8)
        return end
    }

    private static func unit(_ text: RawSpan, _ position: Int) -> UInt32 {
        (0..<4).reduce(0) { $0 << 4 | (hexadecimal(text.byte(at: position + $1)) ?? 0) }
    }

    static func hexadecimal(_ byte: UInt8) -> UInt32? {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): UInt32(byte - UInt8(ascii: "0"))
        case UInt8(ascii: "a")...UInt8(ascii: "f"): UInt32(byte - UInt8(ascii: "a") + 10)
        case UInt8(ascii: "A")...UInt8(ascii: "F"): UInt32(byte - UInt8(ascii: "A") + 10)
        default: nil
        }
    }
}
