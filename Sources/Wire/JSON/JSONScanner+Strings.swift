extension JSONScanner {
    /// The string whose opening quotation mark is here.
    @inline(__always)
    func string(_ text: RawSpan, at start: Int) throws(JSONError) -> JSONField {
        let position = text.plainEnd(from: start &+ 1, nonASCII: nonASCII)
        guard text.byte(at: position) == JSONByte.quote else { return try restOfString(text, start, at: position) }
        return JSONField(.string, start..<position &+ 1)
    }

    /// The same, from the first byte on that is not plain.
    @inline(never)
    private func restOfString(_ text: RawSpan, _ start: Int, at position: Int) throws(JSONError) -> JSONField {
        var position = position
        var hasEscapes = false
        while true {
            let byte = text.byte(at: position)
            if byte == JSONByte.quote {
                return JSONField(.string, start..<position + 1, hasEscapes: hasEscapes)
            } else if byte == JSONByte.backslash {
                hasEscapes = true
                position = try afterEscape(text, at: position)
            } else if byte >= 0x80 {
                position = try afterNonASCII(text, at: position)
            } else {
                throw failure(text, at: position, .controlCharacter)
            }
            position = text.plainEnd(from: position, nonASCII: nonASCII)
        }
    }

    @inline(__always)
    private func afterNonASCII(_ text: RawSpan, at position: Int) throws(JSONError) -> Int {
        var position = position
        // In most languages one comes after the other.
        repeat {
            let length = text.utf8Length(at: position)
            guard length > 0 else { throw JSONError(.invalidUTF8, at: position) }
            position += length
        } while text.byte(at: position) >= 0x80
        return position
    }

    private func afterEscape(_ text: RawSpan, at start: Int) throws(JSONError) -> Int {
        switch text.byte(at: start + 1) {
        case JSONByte.quote, JSONByte.backslash, UInt8(ascii: "/"), UInt8(ascii: "b"), UInt8(ascii: "f"),
            UInt8(ascii: "n"), UInt8(ascii: "r"), UInt8(ascii: "t"):
            return start + 2
        case JSONByte.u:
            return try afterUnicodeEscape(text, at: start)
        default:
            throw failure(text, at: start + 1, .invalidEscape)
        }
    }

    private func afterUnicodeEscape(_ text: RawSpan, at start: Int) throws(JSONError) -> Int {
        let first = try hexadecimal(text, at: start + 2)
        guard 0xd800...0xdfff ~= first else { return start + 6 }
        guard first < 0xdc00, text.byte(at: start + 6) == JSONByte.backslash, text.byte(at: start + 7) == JSONByte.u,
            0xdc00...0xdfff ~= (try hexadecimal(text, at: start + 8))
        else { throw JSONError(.loneSurrogate, at: start) }
        return start + 12
    }

    private func hexadecimal(_ text: RawSpan, at start: Int) throws(JSONError) -> UInt32 {
        var value: UInt32 = 0
        for position in start..<start + 4 {
            guard let digit = JSONString.hexadecimal(text.byte(at: position)) else {
                throw failure(text, at: position, .invalidEscape)
            }
            value = value << 4 | digit
        }
        return value
    }
}

extension RawSpan {
    /// The first byte from here on that is not plain inside a JSON string, see `notPlain`, or the end of the text.
    @inline(__always)
    func plainEnd(from start: Int, nonASCII: UInt64) -> Int {
        var position = start
        var found = word(at: position).notPlain(nonASCII)
        while found == 0 {
            position &+= 8
            found = word(at: position).notPlain(nonASCII)
        }
        return position &+ found.byteIndex
    }

    /// The length of the UTF-8 sequence of a character beyond ASCII that starts here; 0 if there is no valid one.
    @inline(__always)
    func utf8Length(at position: Int) -> Int {
        let lead = byte(at: position)
        let second = byte(at: position &+ 1)
        switch lead {
        case 0xc2...0xdf:
            return second.isContinuation ? 2 : 0
        case 0xe0...0xef:
            // Without the overlong forms of smaller characters, and without surrogates.
            let range: ClosedRange<UInt8> = lead == 0xe0 ? 0xa0...0xbf : lead == 0xed ? 0x80...0x9f : 0x80...0xbf
            return range ~= second && byte(at: position &+ 2).isContinuation ? 3 : 0
        case 0xf0...0xf4:
            // Without overlong forms, and nothing beyond U+10FFFF.
            let range: ClosedRange<UInt8> = lead == 0xf0 ? 0x90...0xbf : lead == 0xf4 ? 0x80...0x8f : 0x80...0xbf
            return range ~= second && byte(at: position &+ 2).isContinuation
                && byte(at: position &+ 3).isContinuation ? 4 : 0
        default:
            return 0
        }
    }
}

extension UInt8 {
    fileprivate var isContinuation: Bool { self & 0xc0 == 0x80 }
}
