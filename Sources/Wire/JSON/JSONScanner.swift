/// The grammar of JSON: each function checks one piece of a text and says where it ends.
///
/// A value without a place of its own. Positions go in and come out as plain integers, so that on the hot path they
/// stay in registers. A position may lie at the end of the text, where every byte reads as zero.
struct JSONScanner: Sendable {
    let depthMax: Int
    /// The high bit of each byte if non-ASCII bytes have to be checked, otherwise zero.
    let nonASCII: UInt64

    init(_ limits: JSONLimits) {
        depthMax = limits.depthMax
        nonASCII = limits.encoding == .unchecked ? 0x8080_8080_8080_8080 : 0
    }

    /// Where a scan of the bytes, or of a part of them, ends. Positions in a part are positions in the whole.
    static func end(of bytes: Span<UInt8>, range: Range<Int>?) -> Int {
        precondition(bytes.count <= JSONField.offsetMax, "a JSON text has less than 1 GiB")
        return range?.upperBound ?? bytes.count
    }
}

// MARK: - Values

extension JSONScanner {
    /// The value that starts here.
    @inline(__always)
    func value(_ text: RawSpan, at position: Int, depth: Int) throws(JSONError) -> JSONField {
        let first = text.byte(at: position)
        if first == JSONByte.leftBrace || first == JSONByte.leftBracket {
            return try container(text, at: position, depth: depth)
        }
        return try scalar(text, at: position, first)
    }

    @inline(__always)
    private func scalar(_ text: RawSpan, at position: Int, _ first: UInt8) throws(JSONError) -> JSONField {
        if first == JSONByte.quote { return try string(text, at: position) }
        if first == JSONByte.minus || first.isDigit { return try number(text, at: position) }
        return try literal(text, at: position)
    }

    @inline(never)
    private func literal(_ text: RawSpan, at position: Int) throws(JSONError) -> JSONField {
        // As words: the first byte of the text is the lowest.
        let word = text.word(at: position)
        if word & RawSpan.mask(count: 4) == 0x6575_7274 { return JSONField(.bool, position..<position + 4) }
        if word & RawSpan.mask(count: 5) == 0x65_736c_6166 { return JSONField(.bool, position..<position + 5) }
        if word & RawSpan.mask(count: 4) == 0x6c6c_756e { return JSONField(.null, position..<position + 4) }
        throw failure(text, at: position, .expectedValue)
    }

    /// An array or object with all that is in it.
    ///
    /// Without recursion: which brackets are open is a stack of bits in a word, so a deep text costs no more than others.
    @inline(never)
    private func container(_ text: RawSpan, at start: Int, depth outerDepth: Int) throws(JSONError) -> JSONField {
        var position = start
        var depth = outerDepth
        var objects: UInt64 = 0
        repeat {
            let first = text.byte(at: position)
            if first == JSONByte.leftBrace || first == JSONByte.leftBracket {
                guard depth < depthMax else { throw JSONError(.tooDeep, at: position) }
                let isObject = first == JSONByte.leftBrace
                let opened = try afterOpening(text, at: position, isObject: isObject)
                position = opened.position
                if !opened.isEnd {
                    depth += 1
                    objects = objects << 1 | (isObject ? 1 : 0)
                    continue
                }
            } else {
                position = try scalar(text, at: position, first).end
            }
            while depth > outerDepth {
                let next = try afterItem(text, at: position, isObject: objects & 1 == 1)
                position = next.position
                guard next.isEnd else { break }
                depth -= 1
                objects >>= 1
            }
        } while depth > outerDepth
        let isObject = text.byte(at: start) == JSONByte.leftBrace
        return JSONField(isObject ? .object : .array, start..<position)
    }

    /// From an opening bracket to the first value, or to after the closing bracket if there is none.
    @inline(__always)
    private func afterOpening(
        _ text: RawSpan, at position: Int, isObject: Bool
    ) throws(JSONError) -> (position: Int, isEnd: Bool) {
        let first = space(text, from: position &+ 1)
        if text.byte(at: first) == (isObject ? JSONByte.rightBrace : JSONByte.rightBracket) {
            return (first &+ 1, true)
        }
        return (isObject ? try afterKey(text, at: key(text, at: first).end) : first, false)
    }

    /// From the end of a value to the next value, or to after the closing bracket.
    @inline(__always)
    private func afterItem(
        _ text: RawSpan, at position: Int, isObject: Bool
    ) throws(JSONError) -> (position: Int, isEnd: Bool) {
        let closing = isObject ? JSONByte.rightBrace : JSONByte.rightBracket
        let next = try afterValue(text, at: position, closing: closing)
        guard isObject, !next.isEnd else { return next }
        return (try afterKey(text, at: key(text, at: next.position).end), false)
    }
}

// MARK: - Commas, keys, white space

// Programs write JSON without white space. So the scanner first expects none between values. The paths that skip white
// space are kept out of the hot path.
extension JSONScanner {
    /// From the end of a value to what follows the comma, or to after the closing bracket.
    @inline(__always)
    func afterValue(
        _ text: RawSpan, at position: Int, closing: UInt8
    ) throws(JSONError) -> (position: Int, isEnd: Bool) {
        let byte = text.byte(at: position)
        if byte == JSONByte.comma, text.byte(at: position &+ 1) > 0x20 { return (position &+ 1, false) }
        if byte == closing { return (position &+ 1, true) }
        return try afterSpacedValue(text, at: position, closing: closing)
    }

    @inline(never)
    private func afterSpacedValue(
        _ text: RawSpan, at position: Int, closing: UInt8
    ) throws(JSONError) -> (position: Int, isEnd: Bool) {
        let position = space(text, from: position)
        let byte = text.byte(at: position)
        if byte == JSONByte.comma { return (space(text, from: position + 1), false) }
        guard byte == closing else { throw failure(text, at: position, .expectedCommaOrEnd) }
        return (position + 1, true)
    }

    @inline(__always)
    func key(_ text: RawSpan, at position: Int) throws(JSONError) -> JSONField {
        guard text.byte(at: position) == JSONByte.quote else { throw failure(text, at: position, .expectedKey) }
        return try string(text, at: position)
    }

    /// From the end of a key over the colon to the value.
    @inline(__always)
    func afterKey(_ text: RawSpan, at position: Int) throws(JSONError) -> Int {
        if text.byte(at: position) == JSONByte.colon, text.byte(at: position &+ 1) > 0x20 { return position &+ 1 }
        return try afterSpacedKey(text, at: position)
    }

    @inline(never)
    private func afterSpacedKey(_ text: RawSpan, at position: Int) throws(JSONError) -> Int {
        let position = space(text, from: position)
        guard text.byte(at: position) == JSONByte.colon else { throw failure(text, at: position, .expectedColon) }
        return space(text, from: position + 1)
    }

    /// Nothing but white space may stand between here and the end.
    func finish(_ text: RawSpan, at position: Int) throws(JSONError) {
        let position = space(text, from: position)
        guard position == text.byteCount else { throw JSONError(.trailingBytes, at: position) }
    }

    /// The next byte that is no white space.
    @inline(__always)
    func space(_ text: RawSpan, from position: Int) -> Int {
        text.byte(at: position) > 0x20 ? position : spaceEnd(text, from: position)
    }

    @inline(never)
    private func spaceEnd(_ text: RawSpan, from start: Int) -> Int {
        var position = start
        while true {
            let byte = text.byte(at: position)
            guard byte == 0x20 || byte == 0x0a || byte == 0x0d || byte == 0x09 else { return position }
            position += 1
        }
    }

    @inline(never)
    func failure(_ text: RawSpan, at position: Int, _ kind: JSONError.Kind) -> JSONError {
        JSONError(position < text.byteCount ? kind : .unexpectedEnd, at: position)
    }
}
