/// Request line and headers of one request, checked. The bytes lie in `headers`; the ranges point into them.
public struct HTTPRequestHead: Sendable {
    /// How the content is framed. Never in two ways: such a request does not get here.
    public enum Body: Equatable, Sendable {
        case none
        case length(Int)
        case chunked
    }

    public let method: HTTPMethod
    /// 0 or 1, of HTTP/1.
    public let minorVersion: Int
    public private(set) var headers: HTTPHeaders
    public let body: Body
    /// Whether the client wants to send another request on this connection.
    public let keepAlive: Bool
    /// Whether the client waits for `100 Continue` before it sends its content.
    public let expectsContinue: Bool
    let ranges: HTTPTargetRanges

    /// The target as it was sent.
    public var target: String { headers.text(ranges.target) }

    /// The path as it was sent, without the query; `/` where an absolute target names none; `*` for `OPTIONS *`.
    public var path: String { ranges.path.isEmpty ? "/" : headers.text(ranges.path) }

    /// The percent-decoded path, or nil when that is not a text or has a NUL. An encoded slash becomes a slash, and dot
    /// segments stay: code that opens files must check for both.
    public var decodedPath: String? {
        guard !ranges.path.isEmpty else { return "/" }
        let text = PercentDecoding.decodeText(headers.bytes.span, ranges.path)
        return text.flatMap { $0.utf8.contains(0) ? nil : $0 }
    }

    /// Host and port that the client believes to speak to: of an absolute target, otherwise of the `Host` header.
    /// Nil only for HTTP/1.0 without that header.
    public var authority: String? {
        ranges.authority.map(headers.text) ?? headers.first(named: "Host")
    }

    /// The query as it was sent, without its question mark; nil when there is none.
    public var query: String? { ranges.query.map(headers.text) }

    /// The decoded value of the query's first item of this name (`+` is a space). Empty for an item without `=`;
    /// nil when there is none, or when its value does not decode to text.
    public func queryValue(_ name: String) -> String? {
        var value: String?
        forEachQueryItem { bytes, itemName, itemValue in
            guard Self.decodes(bytes, itemName, to: name) else { return true }
            value = PercentDecoding.decodeText(bytes, itemValue, plusIsSpace: true)
            return false
        }
        return value
    }

    /// All items of the query in their order, decoded; those that do not decode to text are left out.
    public var queryItems: [(name: String, value: String)] {
        var items: [(name: String, value: String)] = []
        forEachQueryItem { bytes, itemName, itemValue in
            if let name = PercentDecoding.decodeText(bytes, itemName, plusIsSpace: true),
                let value = PercentDecoding.decodeText(bytes, itemValue, plusIsSpace: true)
            {
                items.append((name, value))
            }
            return true
        }
        return items
    }

    /// Calls `body` with each item's name and value as sent, until it answers false.
    private func forEachQueryItem(_ body: (Span<UInt8>, Range<Int>, Range<Int>) -> Bool) {
        guard let query = ranges.query else { return }
        let bytes = headers.bytes.span
        var start = query.lowerBound
        while start < query.upperBound {
            var equals: Int?
            var end = start
            while end < query.upperBound, bytes[end] != UInt8(ascii: "&") {
                if bytes[end] == UInt8(ascii: "="), equals == nil { equals = end }
                end += 1
            }
            let name = start..<(equals ?? end)
            let value = (equals.map { $0 + 1 } ?? end)..<end
            if start < end, !body(bytes, name, value) { return }
            start = end + 1
        }
    }

    /// Compares without making text when nothing is encoded, which is nearly always.
    private static func decodes(_ bytes: Span<UInt8>, _ range: Range<Int>, to name: String) -> Bool {
        var index = range.lowerBound
        for letter in name.utf8 {
            guard index < range.upperBound else { return false }
            let byte = bytes[index]
            if byte == UInt8(ascii: "%") || byte == UInt8(ascii: "+") {
                return PercentDecoding.decodeText(bytes, range, plusIsSpace: true) == name
            }
            guard byte == letter else { return false }
            index += 1
        }
        return index == range.upperBound
    }
}

/// Where the parts of a request's target lie. Small, since a session keeps its first request's.
struct HTTPTargetRanges: Sendable {
    private struct Part {
        var start: UInt32 = 0
        /// `UInt32.max` where there is none.
        var end: UInt32 = .max

        init(_ range: Range<Int>?) {
            guard let range else { return }
            (start, end) = (UInt32(range.lowerBound), UInt32(range.upperBound))
        }

        var range: Range<Int>? { end == .max ? nil : Int(start)..<Int(end) }
    }

    private var parts: (target: Part, path: Part, query: Part, authority: Part)

    init(target: Range<Int>, path: Range<Int>) {
        parts = (Part(target), Part(path), Part(nil), Part(nil))
    }

    var target: Range<Int> { parts.target.range ?? 0..<0 }

    var path: Range<Int> {
        get { parts.path.range ?? 0..<0 }
        set { parts.path = Part(newValue) }
    }

    var query: Range<Int>? {
        get { parts.query.range }
        set { parts.query = Part(newValue) }
    }

    /// Only of a target in absolute form.
    var authority: Range<Int>? {
        get { parts.authority.range }
        set { parts.authority = Part(newValue) }
    }
}
