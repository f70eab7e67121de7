import Wire

/// Reads an answer that libcurl passes on line by line and piece by piece. It checks the bounds, and that the head has
/// only one meaning. An answer of HTTP/1 has to state its length or come in chunks.
struct CurlAnswer {
    private enum Part {
        case status, fields
        /// What comes in lines now is a trailer.
        case content
    }

    private let limits: FetchLimits
    private let isSecure: Bool
    private var part = Part.status
    private var headBytes = 0
    private(set) var status = 0
    private(set) var bodyBytes = 0
    /// Of an answer with status 200, instead of the limits' bound: nobody keeps it in memory.
    private let contentBytesMax: Int?
    private var isFramed = false
    private var fields = Fields()
    private var body: [UInt8] = []

    init(_ limits: FetchLimits, isSecure: Bool, contentBytesMax: Int? = nil) {
        self.limits = limits
        self.contentBytesMax = contentBytesMax
        self.isSecure = isSecure
    }

    // MARK: The head

    /// A line of the head with its end, or of a trailer.
    mutating func takeLine(_ line: Span<UInt8>) throws(FetchFault) {
        headBytes += line.count
        guard headBytes <= limits.headBytesMax else { throw FetchFault("the head of the answer is too long") }
        let end = line.count - 2
        guard end >= 0, line[end] == ASCII.carriageReturn, line[end + 1] == ASCII.lineFeed else {
            throw FetchFault("a line of the answer's head does not end in CRLF")
        }
        switch part {
        case .status: try takeStatus(line.extracting(..<end))
        case .fields where end == 0: try endHead()
        case .fields: try fields.take(line.extracting(..<end))
        case .content: break
        }
    }

    private mutating func takeStatus(_ line: Span<UInt8>) throws(FetchFault) {
        // HTTP/2 is spoken over TLS only. libcurl believes a server that merely says that it does.
        let isSecond = isSecure && ASCII.equals(line, 0..<min(7, line.count), "HTTP/2 ")
        let version = 0..<min(9, line.count)
        guard isSecond || ASCII.equals(line, version, "HTTP/1.1 ") || ASCII.equals(line, version, "HTTP/1.0 ") else {
            throw FetchFault("the answer is not HTTP")
        }
        let start = isSecond ? 7 : 9
        let end = start + 3
        guard line.count >= end, line.count == end || line[end] == ASCII.space,
            let status = DecimalInteger.parse(line, start..<end)
        else { throw FetchFault("the answer's status is not a number") }
        guard 100..<600 ~= status, status != 101 else { throw FetchFault("the answer has status \(status)") }
        self.status = status
        // HTTP/2 says by itself where content ends.
        isFramed = isSecond
        fields = Fields()
        part = .fields
    }

    private mutating func endHead() throws(FetchFault) {
        // An interim answer, after which another head comes.
        if status < 200 { return part = .status }
        part = .content
        guard !fields.isChunked || fields.length == nil else { throw FetchFault("the answer says its length twice") }
        guard !hasNoBody else { return }
        guard isFramed || fields.isChunked || fields.length != nil else {
            throw FetchFault("the answer does not say its length")
        }
        guard fields.length ?? 0 <= bytesMax else { throw tooLarge }
    }

    // MARK: The body

    /// What these have of a length is not that of a body.
    private var hasNoBody: Bool { status == 204 || status == 304 }

    /// Whether the content is what was asked for, not the words of a refusal.
    var isContent: Bool { status == 200 && contentBytesMax != nil }

    /// The length of the body, as far as the server has told.
    var length: Int? { fields.length }

    private var bytesMax: Int { isContent ? contentBytesMax ?? 0 : limits.bodyBytesMax }

    mutating func takeContent(_ content: UnsafeRawBufferPointer) throws(FetchFault) {
        guard content.count <= bytesMax - bodyBytes else { throw tooLarge }
        bodyBytes += content.count
        if !isContent { body.append(contentsOf: content) }
    }

    /// The answer, when nothing more comes: libcurl takes a head that the end of the connection cuts off for a whole one.
    func end() throws(FetchFault) -> FetchResponse {
        guard case .content = part, hasNoBody || bodyBytes == fields.length ?? bodyBytes else {
            throw FetchFault("the server ended the connection within its answer")
        }
        return FetchResponse(status: status, retryAfter: fields.retryAfter, body: body)
    }

    private var tooLarge: FetchFault { FetchFault("the answer is larger than \(bytesMax) bytes") }
}

/// The headers that frame the body, and the next step.
private struct Fields {
    var length: Int?
    var isChunked = false
    var retryAfter: String?

    mutating func take(_ line: Span<UInt8>) throws(FetchFault) {
        guard let colon = line.indices.first(where: { line[$0] == UInt8(ascii: ":") }), colon > 0,
            !line.indices.contains(where: { line[$0] < 0x20 && line[$0] != ASCII.tab }),
            !ASCII.isBlank(line[0]), !ASCII.isBlank(line[colon - 1])
        else { throw FetchFault("the answer has a header line that is none") }
        let value = ASCII.trimmed(line, colon + 1..<line.count)
        switch String(decoding: (0..<colon).map { ASCII.lowercased(line[$0]) }, as: UTF8.self) {
        case "content-length":
            guard let number = DecimalInteger.parse(line, value), length == nil || length == number else {
                throw FetchFault("the answer's length is not a number, or two")
            }
            length = number
        case "transfer-encoding":
            guard !isChunked, ASCII.equalsIgnoringCase(line, value, "chunked") else {
                throw FetchFault("the answer is coded in a way that is not understood")
            }
            isChunked = true
        case "content-encoding":
            guard ASCII.equalsIgnoringCase(line, value, "identity") else {
                throw FetchFault("the answer is compressed, which was not asked for")
            }
        case "retry-after":
            retryAfter = value.count <= 64 ? String(decoding: value.map { line[$0] }, as: UTF8.self) : nil
        default: break
        }
    }
}
