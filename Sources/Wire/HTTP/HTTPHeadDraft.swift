/// What is known of a head while its lines come in. Everything that decides where a request ends, and with it where
/// the next one begins, is checked here; a doubt is a refusal.
struct HTTPHeadDraft {
    private var method: HTTPMethod = .get
    private var minorVersion = 1
    private var target = HTTPTargetRanges(target: 0..<0, path: 0..<0)
    private var fields: [HTTPHeaders.Field] = []

    private var hasHost = false
    private var contentLength: Int?
    private var isChunked = false
    private var saysClose = false
    private var saysKeepAlive = false
    private var saysContinue = false

    /// Takes the request line, given without its line end.
    mutating func takeRequestLine(
        _ text: [UInt8], _ line: Range<Int>, targetBytesMax: Int
    ) throws(HTTPParseError) {
        let bytes = text.span
        var methodEnd = line.lowerBound
        while methodEnd < line.upperBound, HTTPSyntax.isToken(bytes[methodEnd]) { methodEnd += 1 }
        guard methodEnd > line.lowerBound, methodEnd < line.upperBound, bytes[methodEnd] == ASCII.space else {
            throw .badRequest("The request line does not begin with a method and a space.")
        }
        guard methodEnd - line.lowerBound <= Self.methodBytesMax else {
            throw HTTPParseError(status: 501, reason: "No method has so long a name.")
        }
        method = Self.method(bytes, line.lowerBound..<methodEnd)

        var targetEnd = methodEnd + 1
        while targetEnd < line.upperBound, HTTPSyntax.isTarget(bytes[targetEnd]) { targetEnd += 1 }
        guard targetEnd > methodEnd + 1, targetEnd < line.upperBound, bytes[targetEnd] == ASCII.space else {
            throw .badRequest("The request target is empty, unfinished, or has a byte that must be percent-encoded.")
        }
        guard targetEnd - methodEnd - 1 <= targetBytesMax else { throw .targetTooLong }
        try takeVersion(bytes, targetEnd + 1..<line.upperBound)
        try takeTarget(bytes, methodEnd + 1..<targetEnd)
    }

    private static let methodBytesMax = 32

    /// Recognises the common methods without making text.
    private static func method(_ bytes: Span<UInt8>, _ range: Range<Int>) -> HTTPMethod {
        if ASCII.equals(bytes, range, "GET") { return .get }
        if ASCII.equals(bytes, range, "POST") { return .post }
        if ASCII.equals(bytes, range, "OPTIONS") { return .options }
        return HTTPMethod(bytes.text(range))
    }

    private mutating func takeVersion(_ bytes: Span<UInt8>, _ range: Range<Int>) throws(HTTPParseError) {
        guard range.count == 8, ASCII.equals(bytes, range.prefix(5), "HTTP/"),
            ASCII.isDigit(bytes[range.lowerBound + 5]), bytes[range.lowerBound + 6] == UInt8(ascii: "."),
            ASCII.isDigit(bytes[range.lowerBound + 7])
        else { throw .badRequest("The request line does not end with an HTTP version.") }
        let major = bytes[range.lowerBound + 5] &- 0x30
        let minor = bytes[range.lowerBound + 7] &- 0x30
        guard major == 1, minor <= 1 else {
            throw HTTPParseError(status: 505, reason: "Only HTTP/1.1 and HTTP/1.0 are spoken here.")
        }
        minorVersion = Int(minor)
    }

    private mutating func takeTarget(_ bytes: Span<UInt8>, _ range: Range<Int>) throws(HTTPParseError) {
        guard method != .other("CONNECT") else {
            throw HTTPParseError(status: 501, reason: "This is no proxy: CONNECT is not served.")
        }
        target = HTTPTargetRanges(target: range, path: range)
        if range.count == 1, bytes[range.lowerBound] == UInt8(ascii: "*") {
            guard method == .options else { throw .badRequest("Only OPTIONS may have the target *.") }
            return
        }
        var pathStart = range.lowerBound
        if bytes[pathStart] != UInt8(ascii: "/") {
            let authority = try absoluteAuthority(bytes, range)
            target.authority = authority
            pathStart = authority.upperBound
        }
        var pathEnd = pathStart
        while pathEnd < range.upperBound, bytes[pathEnd] != UInt8(ascii: "?") { pathEnd += 1 }
        target.path = pathStart..<pathEnd
        if pathEnd < range.upperBound { target.query = pathEnd + 1..<range.upperBound }
    }

    private func absoluteAuthority(
        _ bytes: Span<UInt8>, _ range: Range<Int>
    ) throws(HTTPParseError) -> Range<Int> {
        let schemeCount: Int
        if range.count >= 7, ASCII.equalsIgnoringCase(bytes, range.prefix(7), "http://") {
            schemeCount = 7
        } else if range.count >= 8, ASCII.equalsIgnoringCase(bytes, range.prefix(8), "https://") {
            schemeCount = 8
        } else {
            throw .badRequest("The request target is neither a path nor an address of http or https.")
        }
        let start = range.lowerBound + schemeCount
        var end = start
        while end < range.upperBound, bytes[end] != UInt8(ascii: "/"), bytes[end] != UInt8(ascii: "?") { end += 1 }
        guard HTTPSyntax.isAuthority(bytes, start..<end) else {
            throw .badRequest("The request target has no valid host.")
        }
        return start..<end
    }

    /// Takes one header line, given without its line end and not empty.
    mutating func takeField(_ text: [UInt8], _ line: Range<Int>, countMax: Int) throws(HTTPParseError) {
        let bytes = text.span
        let (name, value) = try HTTPSyntax.splitField(bytes, line)
        guard fields.count < countMax else {
            throw HTTPParseError(status: 431, reason: "The request has more than \(countMax) headers.")
        }
        if fields.isEmpty { fields.reserveCapacity(16) }
        fields.append(HTTPHeaders.Field(name: name, value: value))

        // The length alone rules out nearly every header that does not matter here.
        func isNamed(_ word: StaticString) -> Bool { ASCII.equalsIgnoringCase(bytes, name, word) }
        switch name.count {
        case 4 where isNamed("Host"): try takeHost(bytes, value)
        case 6 where isNamed("Expect"): try takeExpect(bytes, value)
        case 10 where isNamed("Connection"): takeConnection(bytes, value)
        case 14 where isNamed("Content-Length"): try takeContentLength(bytes, value)
        case 17 where isNamed("Transfer-Encoding"): try takeTransferEncoding(bytes, value)
        default: break
        }
    }

    private mutating func takeHost(_ bytes: Span<UInt8>, _ value: Range<Int>) throws(HTTPParseError) {
        guard !hasHost else { throw .badRequest("The Host header stands twice.") }
        guard HTTPSyntax.isAuthority(bytes, value) else { throw .badRequest("The Host header names no valid host.") }
        hasHost = true
    }

    private mutating func takeExpect(_ bytes: Span<UInt8>, _ value: Range<Int>) throws(HTTPParseError) {
        guard ASCII.equalsIgnoringCase(bytes, value, "100-continue") else {
            throw HTTPParseError(status: 417, reason: "The only expectation that can be met is 100-continue.")
        }
        saysContinue = true
    }

    private mutating func takeConnection(_ bytes: Span<UInt8>, _ value: Range<Int>) {
        HTTPHeaders.forEachElement(bytes, value) { option in
            if ASCII.equalsIgnoringCase(bytes, option, "close") { saysClose = true }
            if ASCII.equalsIgnoringCase(bytes, option, "keep-alive") { saysKeepAlive = true }
        }
    }

    private mutating func takeContentLength(_ bytes: Span<UInt8>, _ value: Range<Int>) throws(HTTPParseError) {
        guard contentLength == nil else { throw .badRequest("The Content-Length header stands twice.") }
        guard !isChunked else { throw .twoFramings }
        guard let length = DecimalInteger.parse(bytes, value) else {
            throw .badRequest("The Content-Length header is not one whole number within bounds.")
        }
        contentLength = length
    }

    private mutating func takeTransferEncoding(_ bytes: Span<UInt8>, _ value: Range<Int>) throws(HTTPParseError) {
        guard !isChunked else { throw .badRequest("The Transfer-Encoding header stands twice.") }
        guard contentLength == nil else { throw .twoFramings }
        guard minorVersion >= 1 else { throw .badRequest("HTTP/1.0 has no Transfer-Encoding.") }
        guard ASCII.equalsIgnoringCase(bytes, value, "chunked") else {
            var chunkedCount = 0
            var codingCount = 0
            HTTPHeaders.forEachElement(bytes, value) { coding in
                codingCount += 1
                if ASCII.equalsIgnoringCase(bytes, coding, "chunked") { chunkedCount += 1 }
            }
            guard codingCount > chunkedCount else {
                throw .badRequest("The Transfer-Encoding header names chunked other than once.")
            }
            throw HTTPParseError(status: 501, reason: "The only transfer coding known here is chunked.")
        }
        isChunked = true
    }

    /// The head that the lines taken make up, around the bytes in which they lie.
    consuming func head(bytes: [UInt8]) throws(HTTPParseError) -> HTTPRequestHead {
        guard hasHost || minorVersion == 0 else { throw .badRequest("The Host header is missing.") }
        let body: HTTPRequestHead.Body = isChunked ? .chunked : contentLength.map { .length($0) } ?? .none
        let hasContent = body != .none && body != .length(0)
        return HTTPRequestHead(
            method: method, minorVersion: minorVersion,
            headers: HTTPHeaders(bytes: bytes, fields: fields),
            body: body,
            keepAlive: !saysClose && (minorVersion == 1 || saysKeepAlive),
            expectsContinue: saysContinue && minorVersion == 1 && hasContent,
            ranges: target)
    }
}

extension HTTPParseError {
    static var targetTooLong: Self { Self(status: 414, reason: "The request target is too long.") }
    static var twoFramings: Self { .badRequest("Content-Length and Transfer-Encoding exclude each other.") }
}
