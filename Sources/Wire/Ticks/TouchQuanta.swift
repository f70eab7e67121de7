/// Coordinates as whole numbers of a quantum.
public enum TouchQuanta {
    /// Numbers with more digits than this are not counted in quanta. Sums and differences of others are exact as a double.
    private static let digitsMax = 15
    private static let limit = 1_000_000_000_000_000
    /// Exponents beyond this make no difference to a number of 64 characters.
    private static let exponentMax = 1_000

    /// The number of quanta of `10^-decimals` that is nearest to a number, and of two the one farther from zero. Nil
    /// when it has more than 15 digits.
    ///
    /// - Parameter number: a checked number of JSON.
    public static func count(_ number: Span<UInt8>, decimals: Int) -> Int? {
        let isNegative = number.count > 0 && number[0] == UInt8(ascii: "-")
        let first = isNegative ? 1 : 0
        var (point, end) = (-1, first)
        while end < number.count, number[end] | 0x20 != UInt8(ascii: "e") {
            if number[end] == UInt8(ascii: ".") { point = end }
            end += 1
        }
        let wholeDigits = (point < 0 ? end : point) - first
        // So many of the digits, from the first on, are those of the quanta.
        let wanted = wholeDigits + decimals + exponent(number, from: end + 1)
        guard wanted >= 0 else { return 0 }
        guard let value = round(number, first..<end, to: wanted) else { return nil }
        return isNegative ? -value : value
    }

    private static func round(_ number: Span<UInt8>, _ range: Range<Int>, to wanted: Int) -> Int? {
        var (value, taken) = (0, 0)
        for index in range where number[index] != UInt8(ascii: ".") {
            let digit = Int(number[index] &- UInt8(ascii: "0"))
            if taken == wanted {
                if digit >= 5 { value += 1 }
                return value < limit ? value : nil
            }
            value = value * 10 + digit
            taken += 1
            guard value < limit else { return nil }
        }
        while taken < wanted, value > 0 {
            value *= 10
            taken += 1
            guard value < limit else { return nil }
        }
        return value
    }

    private static func exponent(_ number: Span<UInt8>, from start: Int) -> Int {
        var (value, isNegative) = (0, false)
        guard start < number.count else { return 0 }
        for index in start..<number.count {
            let byte = number[index]
            if byte == UInt8(ascii: "-") { isNegative = true }
            if ASCII.isDigit(byte), value < exponentMax { value = value * 10 + Int(byte - UInt8(ascii: "0")) }
        }
        return isNegative ? -value : value
    }
}
