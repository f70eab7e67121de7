extension JSONScanner {
    /// Moves over a number, whose first byte, a digit or a minus, is here.
    mutating func skipNumber(_ text: RawSpan) throws(JSONError) {
        let start = position
        if peek(text) == JSONByte.minus { position += 1 }
        let integer = position
        if peek(text) == JSONByte.zero {
            position += 1
        } else {
            try skipDigits(text)
        }
        let integerDigits = position - integer
        if peek(text) == JSONByte.dot {
            position += 1
            try skipDigits(text)
        }
        if peek(text) | 0x20 == JSONByte.e {
            try skipExponent(text, number: start, integerDigits: integerDigits)
        } else if integerDigits > 308 {
            try checkMagnitude(text, number: start, exponent: 0)
        }
    }

    /// At least one digit.
    private mutating func skipDigits(_ text: RawSpan) throws(JSONError) {
        guard peek(text).isDigit else { throw failure(text, .invalidNumber) }
        repeat { position += 1 } while peek(text).isDigit
    }

    private mutating func skipExponent(
        _ text: RawSpan, number start: Int, integerDigits: Int
    ) throws(JSONError) {
        position += 1
        let isNegative = peek(text) == JSONByte.minus
        if isNegative || peek(text) == JSONByte.plus { position += 1 }
        let digits = position
        try skipDigits(text)
        let exponent = JSONNumber.exponent(text, digits..<position, isNegative: isNegative)
        if integerDigits + exponent > 308 { try checkMagnitude(text, number: start, exponent: exponent) }
    }

    /// Refuses a number that would be infinite as a double. Only called for those that may be.
    @inline(never)
    private func checkMagnitude(_ text: RawSpan, number start: Int, exponent: Int) throws(JSONError) {
        guard let magnitude = JSONNumber.magnitude(text, start..<position, exponent: exponent) else { return }
        // The largest double is about 1.8e308: it and what is just beyond have a magnitude of 309.
        guard magnitude > 308 else { return }
        guard magnitude == 309, JSONNumber.slowDouble(text, start..<position).isFinite else {
            throw JSONError(.numberTooLarge, at: start)
        }
    }
}

extension UInt8 {
    var isDigit: Bool { self &- JSONByte.zero < 10 }
}
