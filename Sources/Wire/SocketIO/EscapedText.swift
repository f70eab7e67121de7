/// Decodes the escapes of strings in unchecked JSON: event names and keys are read before the scanner runs.
/// `JSONString` needs the scanner to have run.
enum EscapedText {
    /// The text of a JSON string given without its quotes, or nil when an escape in it is none of JSON's or is half a
    /// surrogate pair, which has no UTF-8.
    static func unescape(_ text: Span<UInt8>) -> [UInt8]? {
        var output: [UInt8] = []
        output.reserveCapacity(text.count)
        var index = 0
        while index < text.count {
            let byte = text[index]
            index += 1
            guard byte == backslash else {
                output.append(byte)
                continue
            }
            guard index < text.count else { return nil }
            let kind = text[index]
            index += 1
            if kind == UInt8(ascii: "u") {
                guard let scalar = unicodeEscape(text, &index) else { return nil }
                output.append(contentsOf: UTF8.encode(scalar) ?? UTF8.encodedReplacementCharacter)
            } else {
                guard let plain = shortEscape(kind) else { return nil }
                output.append(plain)
            }
        }
        return output
    }

    private static func shortEscape(_ kind: UInt8) -> UInt8? {
        switch kind {
        case quote, backslash, UInt8(ascii: "/"): return kind
        case UInt8(ascii: "b"): return 0x08
        case UInt8(ascii: "f"): return 0x0C
        case UInt8(ascii: "n"): return 0x0A
        case UInt8(ascii: "r"): return 0x0D
        case UInt8(ascii: "t"): return 0x09
        default: return nil
        }
    }

    /// Reads what follows `\u`, and a second escape when the first is the upper half of a pair.
    private static func unicodeEscape(_ text: Span<UInt8>, _ index: inout Int) -> Unicode.Scalar? {
        guard let first = fourDigits(text, &index) else { return nil }
        guard UTF16.isLeadSurrogate(first) else { return Unicode.Scalar(first) }
        guard index + 2 <= text.count, text[index] == backslash, text[index + 1] == UInt8(ascii: "u") else {
            return nil
        }
        index += 2
        guard let second = fourDigits(text, &index), UTF16.isTrailSurrogate(second) else { return nil }
        return Unicode.Scalar(0x10000 + UInt32(first & 0x3FF) << 10 + UInt32(second & 0x3FF))
    }

    private static func fourDigits(_ text: Span<UInt8>, _ index: inout Int) -> UInt16? {
        guard index + 4 <= text.count else { return nil }
        var value: UInt16 = 0
        for _ in 0..<4 {
            guard let digit = ASCII.hexValue(text[index]) else { return nil }
            value = value << 4 | UInt16(digit)
            index += 1
        }
        return value
    }

    static let quote = UInt8(ascii: "\"")
    static let backslash = UInt8(ascii: "\\")
}
