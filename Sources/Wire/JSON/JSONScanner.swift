/// A place in a JSON text that moves over it while checking it.
///
/// It does not hold the text: every call gets it, and always the same one. All positions are indices into it.
struct JSONScanner: Sendable {
    var position: Int
    private let depthMax: Int
    /// The high bit of each byte where non-ASCII bytes have to be looked at, otherwise zero.
    let nonASCII: UInt64

    init(position: Int, limits: JSONLimits) {
        self.position = position
        depthMax = limits.depthMax
        nonASCII = limits.encoding == .unchecked ? 0x8080_8080_8080_8080 : 0
    }

    /// Where a scan of the bytes, or of a part of them, ends. Positions in a part are positions in the whole.
    static func end(of bytes: Span<UInt8>, range: Range<Int>?) -> Int {
        precondition(bytes.count <= UInt32.max, "a JSON text has less than 4 GiB")
        return range?.upperBound ?? bytes.count
    }
}

// MARK: - Values

extension JSONScanner {
    /// Moves over one value, which starts here.
    mutating func value(_ text: RawSpan, depth: Int) throws(JSONError) -> JSONField {
        let start = position
        let first = peek(text)
        if first == JSONByte.leftBrace || first == JSONByte.leftBracket {
            try containers(text, depth: depth)
            return JSONField(first == JSONByte.leftBrace ? .object : .array, start..<position)
        }
        return try scalar(text, first)
    }

    private mutating func scalar(_ text: RawSpan, _ first: UInt8) throws(JSONError) -> JSONField {
        let start = position
        switch first {
        case JSONByte.quote:
            return try string(text)
        case JSONByte.minus, JSONByte.zero...JSONByte.nine:
            try skipNumber(text)
            return JSONField(.number, start..<position)
        case JSONByte.t:
            try literal(text, 0x6575_7274, count: 4)
            return JSONField(.bool, start..<position)
        case JSONByte.f:
            try literal(text, 0x65_736c_6166, count: 5)
            return JSONField(.bool, start..<position)
        case JSONByte.n:
            try literal(text, 0x6c6c_756e, count: 4)
            return JSONField(.null, start..<position)
        default:
            throw failure(text, .expectedValue)
        }
    }

    /// `true`, `false` or `null`, given as their bytes in a word.
    private mutating func literal(_ text: RawSpan, _ word: UInt64, count: Int) throws(JSONError) {
        guard position + count <= text.byteCount, text.word(at: position, count: count) == word else {
            throw JSONError(.expectedValue, at: position)
        }
        position += count
    }

    /// Moves over an array or object with all that is in it.
    ///
    /// Without recursion: which brackets are open is a stack of bits in a word, so the depth of the text costs nothing.
    private mutating func containers(_ text: RawSpan, depth outerDepth: Int) throws(JSONError) {
        var depth = outerDepth
        var objects: UInt64 = 0
        repeat {
            let first = peek(text)
            if first == JSONByte.leftBrace || first == JSONByte.leftBracket {
                guard depth < depthMax else { throw JSONError(.tooDeep, at: position) }
                depth += 1
                objects = objects << 1 | (first == JSONByte.leftBrace ? 1 : 0)
                if try !isEmpty(text, isObject: first == JSONByte.leftBrace) { continue }
                depth -= 1
                objects >>= 1
            } else {
                _ = try scalar(text, first)
            }
            while depth > outerDepth, try isEnd(text, isObject: objects & 1 == 1) {
                depth -= 1
                objects >>= 1
            }
        } while depth > outerDepth
    }
}

// MARK: - Brackets, commas, keys

extension JSONScanner {
    /// Moves over an opening bracket and, if nothing stands between, over the closing one; else to the first value.
    private mutating func isEmpty(_ text: RawSpan, isObject: Bool) throws(JSONError) -> Bool {
        position += 1
        skipSpace(text)
        if peek(text) == (isObject ? JSONByte.rightBrace : JSONByte.rightBracket) {
            position += 1
            return true
        }
        if isObject { _ = try key(text) }
        return false
    }

    /// After a value: moves over the closing bracket, or over the comma to the next value.
    private mutating func isEnd(_ text: RawSpan, isObject: Bool) throws(JSONError) -> Bool {
        if try isLast(text, closing: isObject ? JSONByte.rightBrace : JSONByte.rightBracket) { return true }
        if isObject { _ = try key(text) }
        return false
    }

    /// After a value: moves over the closing bracket, or over the comma to what follows it.
    mutating func isLast(_ text: RawSpan, closing: UInt8) throws(JSONError) -> Bool {
        skipSpace(text)
        let byte = peek(text)
        if byte == JSONByte.comma {
            position += 1
            skipSpace(text)
            return false
        }
        guard byte == closing else { throw failure(text, .expectedCommaOrEnd) }
        position += 1
        return true
    }

    /// Moves over a key and its colon to the value.
    mutating func key(_ text: RawSpan) throws(JSONError) -> JSONField {
        guard peek(text) == JSONByte.quote else { throw failure(text, .expectedKey) }
        let key = try string(text)
        skipSpace(text)
        guard peek(text) == JSONByte.colon else { throw failure(text, .expectedColon) }
        position += 1
        skipSpace(text)
        return key
    }

    /// Moves over the white space after the last value to the end.
    mutating func finish(_ text: RawSpan) throws(JSONError) {
        skipSpace(text)
        guard position == text.byteCount else { throw JSONError(.trailingBytes, at: position) }
    }

    @inline(__always)
    mutating func skipSpace(_ text: RawSpan) {
        while position < text.byteCount, isSpace(text.byte(at: position)) { position += 1 }
    }

    @inline(__always)
    private func isSpace(_ byte: UInt8) -> Bool {
        byte <= 0x20 && (byte == 0x20 || byte == 0x0a || byte == 0x0d || byte == 0x09)
    }

    /// The byte here. At the end it is NUL, which has no place in JSON either and so needs no case of its own.
    @inline(__always)
    func peek(_ text: RawSpan) -> UInt8 {
        position < text.byteCount ? text.byte(at: position) : 0
    }

    @inline(never)
    func failure(_ text: RawSpan, _ kind: JSONError.Kind) -> JSONError {
        JSONError(position < text.byteCount ? kind : .unexpectedEnd, at: position)
    }
}
