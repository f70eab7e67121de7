extension JSONScanner {
    /// The number whose first byte, a digit or a minus, is here.
    @inline(__always)
    func number(_ text: RawSpan, at start: Int) throws(JSONError) -> JSONField {
        let integer = text.byte(at: start) == JSONByte.minus ? start &+ 1 : start
        var position = integer
        if text.byte(at: position) == JSONByte.zero {
            position &+= 1
        } else {
            position = try afterDigits(text, at: position)
        }
        let integerDigits = position &- integer
        if text.byte(at: position) == JSONByte.dot { position = try afterDigits(text, at: position &+ 1) }
        if text.byte(at: position) | 0x20 == JSONByte.e || integerDigits > 308 {
            return try restOfNumber(text, start, at: position, integerDigits: integerDigits)
        }
        return JSONField(.number, start..<position)
    }

    /// From after one digit, which has to be here, and all that follow it.
    @inline(__always)
    private func afterDigits(_ text: RawSpan, at start: Int) throws(JSONError) -> Int {
        var count = text.word(at: start).notDigit.byteIndex
        guard count > 0 else { throw failure(text, at: start, .invalidNumber) }
        var position = start &+ count
        while count == 8 {
            count = text.word(at: position).notDigit.byteIndex
            position &+= count
        }
        return position
    }

    /// With an exponent or very many digits: the number may turn out to be infinite as a double, and is refused then.
    @inline(never)
    private func restOfNumber(
        _ text: RawSpan, _ start: Int, at position: Int, integerDigits: Int
    ) throws(JSONError) -> JSONField {
        var end = position
        var exponent = 0
        if text.byte(at: position) | 0x20 == JSONByte.e {
            let sign = text.byte(at: position + 1)
            let digits = sign == JSONByte.minus || sign == JSONByte.plus ? position + 2 : position + 1
            end = try afterDigits(text, at: digits)
            exponent = JSONNumber.exponent(text, digits..<end, isNegative: sign == JSONByte.minus)
        }
        // The largest double is about 1.8e308.
        if integerDigits + exponent > 308, !JSONNumber.isFinite(text, start..<end, exponent: exponent) {
            throw JSONError(.numberTooLarge, at: start)
        }
        return JSONField(.number, start..<end)
    }
}

extension UInt8 {
    @inline(__always)
    var isDigit: Bool { self &- JSONByte.zero < 10 }
}
