/// Values of fields. Each is nil if the field is of another kind, and needs the bytes that were scanned.
extension JSONField {
    public func bool(in bytes: Span<UInt8>) -> Bool? {
        kind == .bool ? bytes[range.lowerBound] == JSONByte.t : nil
    }

    /// Always finite: the scanner refuses other numbers.
    public func double(in bytes: Span<UInt8>) -> Double? {
        kind == .number ? JSONNumber.double(bytes.bytes, range) : nil
    }

    /// Nil too if the number is no integer or does not fit. `1.0` and `1e3` are integers.
    public func int(in bytes: Span<UInt8>) -> Int? {
        kind == .number ? JSONNumber.int(bytes.bytes, range) : nil
    }

    public func string(in bytes: Span<UInt8>) -> String? {
        guard kind == .string else { return nil }
        if hasEscapes { return String(decoding: JSONString.unescaped(bytes.bytes, content), as: UTF8.self) }
        return bytes.extracting(content).withUnsafeBytes { String(decoding: $0, as: UTF8.self) }
    }

    /// A string as UTF-8. Without escapes the bytes in `content` are the same and need no copy.
    public func utf8(in bytes: Span<UInt8>) -> [UInt8]? {
        guard kind == .string else { return nil }
        if hasEscapes { return JSONString.unescaped(bytes.bytes, content) }
        return bytes.extracting(content).withUnsafeBytes { Array($0) }
    }
}

extension JSON {
    /// The double nearest to a checked number.
    public static func double(_ number: Span<UInt8>) -> Double { JSONNumber.double(number.bytes, 0..<number.count) }
}
