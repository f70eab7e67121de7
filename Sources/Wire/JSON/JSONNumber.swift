/// Reading numbers from JSON text that has been checked.
enum JSONNumber {
    /// The double nearest to the number, ties to even: bit for bit what `Double(String)` gives.
    static func double(_ text: RawSpan, _ range: Range<Int>) -> Double {
        guard let decimal = decimal(text, range), let magnitude = decimal.magnitude else {
            return slowDouble(text, range)
        }
        return decimal.isNegative ? -magnitude : magnitude
    }

    /// The number, if it is an integer that fits, also one written like `1.0` or `1e3`.
    static func int(_ text: RawSpan, _ range: Range<Int>) -> Int? {
        guard let decimal = decimal(text, range), decimal.exponent == 0 else {
            return integer(double(text, range))
        }
        return decimal.isNegative ? Int(exactly: -Int128(decimal.digits)) : Int(exactly: decimal.digits)
    }

    /// `Int(exactly:)` without its calls into the mathematical library, which not every executable is linked with.
    static func integer(_ value: Double) -> Int? {
        guard value >= -0x1p63, value < 0x1p63 else { return nil }
        let integer = Int(value)
        return Double(integer) == value ? integer : nil
    }

    /// By the standard library, for the rare numbers with more than nineteen digits or a large exponent.
    static func slowDouble(_ text: RawSpan, _ range: Range<Int>) -> Double {
        let copy = text.extracting(range).withUnsafeBytes { String(decoding: $0, as: UTF8.self) }
        return Double(copy) ?? .nan
    }

    /// The value of an exponent, cut off where it no longer makes a difference to a text of less than 4 GiB.
    static func exponent(_ text: RawSpan, _ digits: Range<Int>, isNegative: Bool) -> Int {
        var value = 0
        for index in digits where value < 100_000_000_000 {
            value = value * 10 + Int(text.byte(at: index) &- JSONByte.zero)
        }
        return isNegative ? -value : value
    }

    /// Whether the number is finite as a double.
    static func isFinite(_ text: RawSpan, _ range: Range<Int>, exponent: Int) -> Bool {
        guard let magnitude = magnitude(text, range, exponent: exponent), magnitude > 308 else { return true }
        // Only just below and beyond the largest double do all the digits matter.
        return magnitude == 309 && slowDouble(text, range).isFinite
    }

    /// The `m` for which the number is at least 10^(m-1) and less than 10^m, without its sign; nil for zero.
    private static func magnitude(_ text: RawSpan, _ range: Range<Int>, exponent: Int) -> Int? {
        var magnitude = exponent
        var seenDot = false
        var seenNonZero = false
        for index in range {
            let byte = text.byte(at: index)
            if byte == JSONByte.dot { seenDot = true }
            if byte | 0x20 == JSONByte.e { break }
            guard byte.isDigit else { continue }
            if byte != JSONByte.zero { seenNonZero = true }
            if seenNonZero, !seenDot { magnitude += 1 }
            if !seenNonZero, seenDot { magnitude -= 1 }
        }
        return seenNonZero ? magnitude : nil
    }
}

// MARK: - Up to nineteen digits

extension JSONNumber {
    /// A number as digits × 10^exponent.
    struct Decimal {
        var digits: UInt64 = 0
        var exponent = 0
        var isNegative = false
    }

    /// Nil if there are more digits than a word holds for sure.
    private static func decimal(_ text: RawSpan, _ range: Range<Int>) -> Decimal? {
        var decimal = Decimal()
        var position = range.lowerBound
        var digitsLeft = 19
        var seenDot = false
        if text.byte(at: position) == JSONByte.minus {
            decimal.isNegative = true
            position += 1
        }
        while position < range.upperBound {
            let byte = text.byte(at: position)
            if byte.isDigit {
                // Zeroes in front of the first other digit don't count.
                if digitsLeft < 19 || byte != JSONByte.zero { digitsLeft -= 1 }
                decimal.digits = decimal.digits &* 10 &+ UInt64(byte &- JSONByte.zero)
                if seenDot { decimal.exponent -= 1 }
            } else if byte == JSONByte.dot {
                seenDot = true
            } else {
                break
            }
            position += 1
        }
        if position < range.upperBound {
            let sign = text.byte(at: position + 1)
            let start = sign.isDigit ? position + 1 : position + 2
            decimal.exponent += exponent(text, start..<range.upperBound, isNegative: sign == JSONByte.minus)
        }
        return digitsLeft >= 0 ? decimal : nil
    }
}

extension JSONNumber.Decimal {
    /// The nearest double, where that can be had with exact arithmetic in a word or two; else nil.
    fileprivate var magnitude: Double? {
        if digits <= 1 << 53, abs(exponent) < doublePowers.count {
            // Both operands are exact doubles, so there is one rounding.
            return exponent < 0 ? Double(digits) / doublePowers[-exponent] : Double(digits) * doublePowers[exponent]
        }
        if exponent == 0 { return Double(digits) }
        guard exponent < 0, -exponent < wordPowers.count else { return nil }
        return quotient(digits, wordPowers[-exponent])
    }

    /// A division of integers to at least 62 bits, with the remainder noted in the lowest one, which lies far enough
    /// below the 53 bits of a double for the conversion to round it right.
    private func quotient(_ dividend: UInt64, _ divisor: UInt64) -> Double {
        let dividendShift = dividend.leadingZeroBitCount
        let divisorShift = divisor.leadingZeroBitCount
        let normalized = dividend << UInt64(dividendShift)
        let (quotient, remainder) = (divisor << UInt64(divisorShift))
            .dividingFullWidth((high: normalized >> 1, low: normalized << 63))
        let significand = Double(remainder == 0 ? quotient : quotient | 1)
        // Far from the ends of the range of a double, so a power of two only moves the exponent.
        let exponent = 1023 + divisorShift - dividendShift - 63
        return significand * Double(bitPattern: UInt64(exponent) << 52)
    }
}

/// The powers of ten that a double holds exactly.
private let doublePowers: [Double] = [
    1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19,
    1e20, 1e21, 1e22,
]

/// The powers of ten that a word holds.
private let wordPowers: [UInt64] = [
    1, 10, 100, 1000, 10000, 100000, 1_000_000, 10_000_000, 100_000_000, 1_000_000_000, 10_000_000_000,
    100_000_000_000, 1_000_000_000_000, 10_000_000_000_000, 100_000_000_000_000, 1_000_000_000_000_000,
    10_000_000_000_000_000, 100_000_000_000_000_000, 1_000_000_000_000_000_000, 10_000_000_000_000_000_000,
]
