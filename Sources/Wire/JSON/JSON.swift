/// JSON text as it comes from and goes to clients: checked strictly, read in place, never turned into a tree.
///
/// All of these functions go over the bytes once. What they accept is valid JSON by RFC 8259 to the last byte, so it
/// may be relayed as it stands. Where the RFC leaves a choice:
/// - a lone surrogate in a `\u` escape is refused, since it has no UTF-8 form and decoders choke on it;
/// - a number that is infinite when read as a `Double` is refused;
/// - of several members with the same key the last one counts, as for `JSON.parse` in browsers;
/// - a byte order mark is refused.
///
/// Results are ranges that point into the bytes given, which have to be given again to read a value.
public enum JSON {
    /// Checks that the bytes are exactly one JSON value with nothing but white space around it.
    ///
    /// - Returns: the kind and place of that value.
    @discardableResult
    public static func validate(
        _ bytes: Span<UInt8>, range: Range<Int>? = nil, limits: JSONLimits = .standard
    ) throws(JSONError) -> JSONField {
        let scanner = JSONScanner(limits)
        let text = bytes.bytes.extracting(first: JSONScanner.end(of: bytes, range: range))
        let start = scanner.space(text, from: range?.lowerBound ?? 0)
        let value = try scanner.value(text, at: start, depth: 0)
        try scanner.finish(text, at: value.end)
        return value
    }

    /// Checks that the bytes are exactly one JSON object and finds the members with the given keys in it.
    ///
    /// The members without a known key are checked just the same.
    public static func fields(
        _ keys: JSONKeys, of bytes: Span<UInt8>, range: Range<Int>? = nil, limits: JSONLimits = .standard
    ) throws(JSONError) -> JSONFields {
        let scanner = JSONScanner(limits)
        let text = bytes.bytes.extracting(first: JSONScanner.end(of: bytes, range: range))
        let start = scanner.space(text, from: range?.lowerBound ?? 0)
        let fields = try scanner.fields(keys, text, at: start, depth: 0)
        try scanner.finish(text, at: fields.object.end)
        return fields
    }
}
