/// Whole numbers as decimal digits: lengths, acknowledgement ids, attachment counts, ports.
public enum DecimalInteger {
    /// Appends `value` in decimal, without allocating beyond what `output` needs.
    @inlinable
    public static func append(_ value: Int, to output: inout [UInt8]) {
        if value < 0 { output.append(UInt8(ascii: "-")) }
        let start = output.count
        var rest = value.magnitude
        repeat {
            output.append(UInt8(truncatingIfNeeded: rest % 10) &+ 0x30)
            rest /= 10
        } while rest > 0
        // The digits came out lowest first.
        var low = start
        var high = output.count - 1
        while low < high {
            output.swapAt(low, high)
            low += 1
            high -= 1
        }
    }

    /// The number that the bytes of `range` spell, or nil unless they are digits only, at least one, and fit.
    /// No sign, no blank, no separator; leading zeros are digits like others.
    @inlinable
    public static func parse(_ bytes: Span<UInt8>, _ range: Range<Int>) -> Int? {
        guard !range.isEmpty else { return nil }
        var value = 0
        for index in range {
            let byte = bytes[index]
            guard ASCII.isDigit(byte) else { return nil }
            let (shifted, overflowed) = value.multipliedReportingOverflow(by: 10)
            let (sum, carried) = shifted.addingReportingOverflow(Int(byte &- 0x30))
            guard !overflowed, !carried else { return nil }
            value = sum
        }
        return value
    }

    @inlinable
    public static func parse(_ bytes: Span<UInt8>) -> Int? { parse(bytes, 0..<bytes.count) }
}
