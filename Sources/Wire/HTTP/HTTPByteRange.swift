/// Which bytes of a representation a client asks for (RFC 9110, section 14).
public enum HTTPByteRange: Equatable, Sendable {
    /// All of them: nothing else was asked for, or not in a way that is understood.
    case whole
    /// Never empty, and within the representation.
    case part(Range<Int>)
    /// No part of the requested ranges exists: 416.
    case unsatisfiable

    /// Players and resumed downloads need no more ranges. Further ones are ignored.
    private static let rangesMax = 8

    /// Several ranges that adjoin or overlap are one; for others the whole is answered, which the RFC leaves to the
    /// server: an answer in parts is a way to make it send the same bytes many times.
    public init(header: String?, size: Int) {
        guard let header, let ranges = Self.ranges(header, size: size) else {
            self = .whole
            return
        }
        let present = ranges.filter { !$0.isEmpty }.sorted { $0.lowerBound < $1.lowerBound }
        guard var joined = present.first else {
            self = .unsatisfiable
            return
        }
        for range in present.dropFirst() {
            guard range.lowerBound <= joined.upperBound else {
                self = .whole
                return
            }
            joined = joined.lowerBound..<max(joined.upperBound, range.upperBound)
        }
        self = .part(joined)
    }

    /// The requested ranges within the file; nil when the header has another form, and is ignored.
    private static func ranges(_ header: String, size: Int) -> [Range<Int>]? {
        let bytes = Array(header.utf8)
        guard let equals = bytes.firstIndex(of: UInt8(ascii: "=")),
            ASCII.equalsIgnoringCase(bytes.span, ASCII.trimmed(bytes.span, 0..<equals), "bytes")
        else { return nil }
        var ranges: [Range<Int>] = []
        var isUnderstood = true
        HTTPHeaders.forEachElement(bytes.span, equals + 1..<bytes.count) { element in
            guard isUnderstood, ranges.count < rangesMax, let range = range(bytes.span, element, size: size) else {
                isUnderstood = false
                return
            }
            ranges.append(range)
        }
        return isUnderstood && !ranges.isEmpty ? ranges : nil
    }

    /// `first-last`, `first-` or `-count`; empty when it lies behind the end.
    private static func range(_ bytes: Span<UInt8>, _ element: Range<Int>, size: Int) -> Range<Int>? {
        guard let dash = element.first(where: { bytes[$0] == UInt8(ascii: "-") }) else { return nil }
        let left = element.lowerBound..<dash
        let right = dash + 1..<element.upperBound
        if left.isEmpty {
            guard let count = DecimalInteger.parse(bytes, right) else { return nil }
            return max(size - count, 0)..<size
        }
        guard let first = DecimalInteger.parse(bytes, left) else { return nil }
        var end = size
        if !right.isEmpty {
            guard let last = DecimalInteger.parse(bytes, right), last >= first else { return nil }
            end = min(last, size - 1) + 1
        }
        return first < end ? first..<end : 0..<0
    }
}
