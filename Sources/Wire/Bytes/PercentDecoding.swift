/// Percent-decoding of URL parts (RFC 3986).
public enum PercentDecoding {
    /// The decoded bytes of `range`, or nil when a `%` is not followed by two hexadecimal digits. With
    /// `plusIsSpace` a `+` stands for a space, as in the query of a form.
    public static func decode(_ bytes: Span<UInt8>, _ range: Range<Int>, plusIsSpace: Bool = false) -> [UInt8]? {
        var output: [UInt8] = []
        output.reserveCapacity(range.count)
        var index = range.lowerBound
        while index < range.upperBound {
            let byte = bytes[index]
            index += 1
            switch byte {
            case UInt8(ascii: "%"):
                guard index + 2 <= range.upperBound, let high = ASCII.hexValue(bytes[index]),
                    let low = ASCII.hexValue(bytes[index + 1])
                else { return nil }
                output.append(high << 4 | low)
                index += 2
            case UInt8(ascii: "+") where plusIsSpace:
                output.append(ASCII.space)
            default:
                output.append(byte)
            }
        }
        return output
    }

    /// The same as text; nil also when the decoded bytes are not UTF-8, since a repaired text would be another one.
    public static func decodeText(_ bytes: Span<UInt8>, _ range: Range<Int>, plusIsSpace: Bool = false) -> String? {
        guard needsDecoding(bytes, range, plusIsSpace: plusIsSpace) else {
            return bytes.extracting(range).withUnsafeBufferPointer { String(validating: $0, as: UTF8.self) }
        }
        return decode(bytes, range, plusIsSpace: plusIsSpace).flatMap { String(validating: $0, as: UTF8.self) }
    }

    /// Session ids and the like hardly ever do; they become text without an array in between.
    private static func needsDecoding(_ bytes: Span<UInt8>, _ range: Range<Int>, plusIsSpace: Bool) -> Bool {
        for index in range where bytes[index] == UInt8(ascii: "%") || plusIsSpace && bytes[index] == UInt8(ascii: "+") {
            return true
        }
        return false
    }
}
