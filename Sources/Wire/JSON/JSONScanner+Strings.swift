extension JSONScanner {
    /// Moves over a string, whose opening quotation mark is here.
    mutating func string(_ text: RawSpan) throws(JSONError) -> JSONField {
        let start = position
        position += 1
        position = text.plainEnd(from: position, nonASCII: nonASCII)
        if peek(text) == JSONByte.quote {
            position += 1
            return JSONField(.string, start..<position)
        }
        let hasEscapes = try restOfString(text)
        return JSONField(.string, start..<position, hasEscapes: hasEscapes)
    }

    /// Moves on to after the closing quotation mark.
    ///
    /// - Returns: whether there was an escape sequence.
    private mutating func restOfString(_ text: RawSpan) throws(JSONError) -> Bool {
        var hasEscapes = false
        while position < text.byteCount {
            let byte = text.byte(at: position)
            if byte == JSONByte.quote {
                position += 1
                return hasEscapes
            } else if byte == JSONByte.backslash {
                hasEscapes = true
                try escape(text)
            } else if byte >= 0x80 {
                try nonASCIICharacter(text)
                continue
            } else if byte < 0x20 {
                throw JSONError(.controlCharacter, at: position)
            } else {
                position += 1
            }
            position = text.plainEnd(from: position, nonASCII: nonASCII)
        }
        throw JSONError(.unexpectedEnd, at: position)
    }

    private mutating func nonASCIICharacter(_ text: RawSpan) throws(JSONError) {
        guard nonASCII != 0 else {
            position += 1
            return
        }
        let length = text.utf8Length(at: position)
        guard length > 0 else { throw JSONError(.invalidUTF8, at: position) }
        position += length
    }

    private mutating func escape(_ text: RawSpan) throws(JSONError) {
        let start = position
        position += 1
        switch peek(text) {
        case JSONByte.quote, JSONByte.backslash, UInt8(ascii: "/"), UInt8(ascii: "b"), UInt8(ascii: "f"),
            UInt8(ascii: "n"), UInt8(ascii: "r"), UInt8(ascii: "t"):
            position += 1
        case JSONByte.u:
            position += 1
            let first = try hexadecimal(text, start)
            guard 0xd800...0xdfff ~= first else { return }
            guard first < 0xdc00, position + 1 < text.byteCount, peek(text) == JSONByte.backslash,
                text.byte(at: position + 1) == JSONByte.u
            else { throw JSONError(.loneSurrogate, at: start) }
            position += 2
            guard 0xdc00...0xdfff ~= (try hexadecimal(text, position - 2)) else {
                throw JSONError(.loneSurrogate, at: start)
            }
        default:
            throw failure(text, .invalidEscape)
        }
    }

    private mutating func hexadecimal(_ text: RawSpan, _ start: Int) throws(JSONError) -> UInt32 {
        var value: UInt32 = 0
        for _ in 0..<4 {
            guard let digit = JSONString.hexadecimal(peek(text)) else { throw failure(text, .invalidEscape) }
            value = value << 4 | digit
            position += 1
        }
        return value
    }
}

extension RawSpan {
    /// The first byte from here on that is not plain inside a JSON string: a quotation mark, a backslash, a control
    /// character or, where `nonASCII` has the high bits set, one of a multi-byte character. Eight bytes at a time;
    /// the last seven bytes of the text count as not plain.
    ///
    /// A subtraction in a word lets a borrow run upwards only out of a byte that is itself not plain, so the lowest
    /// byte found is always right.
    @inline(__always)
    func plainEnd(from start: Int, nonASCII: UInt64) -> Int {
        var position = start
        while position + 8 <= byteCount {
            let word = word(at: position)
            let quotes = (word ^ 0x2222_2222_2222_2222) &- 0x0101_0101_0101_0101
            let backslashes = (word ^ 0x5c5c_5c5c_5c5c_5c5c) &- 0x0101_0101_0101_0101
            let controls = word &- 0x2020_2020_2020_2020
            let found = ((quotes | backslashes | controls) & ~word & 0x8080_8080_8080_8080) | (word & nonASCII)
            if found != 0 { return position + found.trailingZeroBitCount >> 3 }
            position += 8
        }
        return position
    }

    /// The length of the UTF-8 sequence of a character beyond ASCII that starts here; 0 if there is no valid one.
    func utf8Length(at position: Int) -> Int {
        let available = byteCount - position
        guard available >= 2 else { return 0 }
        let lead = byte(at: position)
        let second = byte(at: position + 1)
        switch lead {
        case 0xc2...0xdf:
            return second.isContinuation ? 2 : 0
        case 0xe0...0xef:
            // Without the overlong forms of smaller characters, and without surrogates.
            let range: ClosedRange<UInt8> = lead == 0xe0 ? 0xa0...0xbf : lead == 0xed ? 0x80...0x9f : 0x80...0xbf
            return available >= 3 && range ~= second && byte(at: position + 2).isContinuation ? 3 : 0
        case 0xf0...0xf4:
            // Without overlong forms, and nothing beyond U+10FFFF.
            let range: ClosedRange<UInt8> = lead == 0xf0 ? 0x90...0xbf : lead == 0xf4 ? 0x80...0x8f : 0x80...0xbf
            return available >= 4 && range ~= second && byte(at: position + 2).isContinuation
                && byte(at: position + 3).isContinuation ? 4 : 0
        default:
            return 0
        }
    }
}

extension UInt8 {
    fileprivate var isContinuation: Bool { self & 0xc0 == 0x80 }
}
