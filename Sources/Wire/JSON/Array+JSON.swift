extension [UInt8] {
    /// Appends a JSON string with its quotation marks. Only necessary characters are escaped, so U+2028 and U+2029 are
    /// not.
    public mutating func appendJSONString(_ text: Span<UInt8>) {
        let bytes = text.bytes
        append(JSONByte.quote)
        var position = 0
        while position < bytes.byteCount {
            let plain = bytes.plainEnd(from: position, nonASCII: 0x8080_8080_8080_8080)
            if plain > position {
                bytes.extracting(position..<plain).withUnsafeBytes { append(contentsOf: $0) }
                position = plain
            } else {
                position = appendCharacter(bytes, position)
            }
        }
        append(JSONByte.quote)
    }

    /// - Returns: the position after the character.
    private mutating func appendCharacter(_ bytes: RawSpan, _ position: Int) -> Int {
        let byte = bytes.byte(at: position)
        switch byte {
        case JSONByte.quote, JSONByte.backslash:
            append(JSONByte.backslash)
            append(byte)
        case 0..<0x20:
            appendEscape(byte)
        case 0x80...:
            let length = bytes.utf8Length(at: position)
            guard length > 0 else {
                append(contentsOf: "\u{fffd}".utf8)
                return position + 1
            }
            for offset in 0..<length { append(bytes.byte(at: position + offset)) }
            return position + length
        default:
            append(byte)
        }
        return position + 1
    }

    private mutating func appendEscape(_ control: UInt8) {
        append(JSONByte.backslash)
        switch control {
        case 0x08: append(UInt8(ascii: "b"))
        case 0x09: append(UInt8(ascii: "t"))
        case 0x0a: append(UInt8(ascii: "n"))
        case 0x0c: append(UInt8(ascii: "f"))
        case 0x0d: append(UInt8(ascii: "r"))
        default:
            let low = control & 0xf
            append(contentsOf: "u00".utf8)
            append(control >> 4 + JSONByte.zero)
            append(low < 10 ? low + JSONByte.zero : low - 10 + UInt8(ascii: "a"))
        }
    }

    mutating func appendDecimal(_ value: Int) {
        if value < 0 { append(JSONByte.minus) }
        let start = count
        var rest = value.magnitude
        repeat {
            append(UInt8(truncatingIfNeeded: rest % 10) + JSONByte.zero)
            rest /= 10
        } while rest > 0
        self[start...].reverse()
    }

    mutating func appendDecimal(_ value: Double) {
        if value.magnitude < 0x1p53, let integer = JSONNumber.integer(value), integer != 0 || value.sign == .plus {
            appendDecimal(integer)
        } else {
            // Swift writes the shortest digits that round-trip, and writes them as JSON wants them.
            let text = value.description
            append(contentsOf: (text.hasSuffix(".0") ? text.dropLast(2) : text[...]).utf8)
        }
    }
}
