import Wire

/// Reads one response (RFC 9112) with a length that it says itself or content in chunks. Other framings are a fault.
struct ResponseReader {
    private enum Framing {
        case length(Int)
        case chunked
    }

    private let headBytesMax: Int
    private let bodyBytesMax: Int
    /// What has come of the head; then what has come of the body, chunks and all.
    private var bytes: [UInt8] = []
    private var head: Head?
    private var chunks = ChunkReader()

    init(headBytesMax: Int, bodyBytesMax: Int) {
        self.headBytesMax = headBytesMax
        self.bodyBytesMax = bodyBytesMax
    }

    /// The response, once all of it is there.
    mutating func take(_ input: Slice<UnsafeMutableRawBufferPointer>) throws(FetchFault) -> FetchResponse? {
        bytes.append(contentsOf: input)
        while head == nil {
            guard let end = endOfHead() else {
                guard bytes.count < headBytesMax else { throw FetchFault("the head of the answer is too long") }
                return nil
            }
            guard end <= headBytesMax else { throw FetchFault("the head of the answer is too long") }
            head = try Self.head(bytes.span.extracting(0..<end))
            bytes.removeSubrange(..<end)
        }
        guard let head, let body = try body(head) else { return nil }
        return FetchResponse(
            status: head.status, retryAfter: head.fields.retryAfter, body: body, isLast: head.fields.isLast)
    }

    private func endOfHead() -> Int? {
        guard bytes.count >= 4 else { return nil }
        for end in 4...bytes.count where Self.isLineEnd(bytes.span, end - 2) && Self.isLineEnd(bytes.span, end - 4) {
            return end
        }
        return nil
    }

    private static func isLineEnd(_ bytes: Span<UInt8>, _ index: Int) -> Bool {
        bytes[index] == ASCII.carriageReturn && bytes[index + 1] == ASCII.lineFeed
    }

    private mutating func body(_ head: Head) throws(FetchFault) -> [UInt8]? {
        switch head.framing {
        case .length(let length):
            guard length <= bodyBytesMax else { throw FetchFault("the answer is larger than \(bodyBytesMax) bytes") }
            guard bytes.count <= length else { throw FetchFault("something follows the answer") }
            return bytes.count == length ? bytes : nil
        case .chunked:
            let piece = bytes
            bytes = []
            let isWhole = try chunks.take(piece.span, bodyBytesMax: bodyBytesMax)
            return isWhole ? chunks.content : nil
        }
    }

    // MARK: The head

    private struct Head {
        let status: Int
        let framing: Framing
        let fields: Fields
    }

    /// Nil for an interim response, after which another head comes.
    private static func head(_ head: Span<UInt8>) throws(FetchFault) -> Head? {
        var lines = lines(of: head)[...]
        guard let first = lines.popFirst(), let status = status(head, first) else {
            throw FetchFault("the answer is not HTTP/1.1")
        }
        if 100..<200 ~= status, status != 101 { return nil }
        guard 200..<600 ~= status else { throw FetchFault("the answer has status \(status)") }
        var fields = Fields()
        // An older server ends the connection, whether it says so or not.
        fields.isLast = ASCII.equals(head, first.prefix(9), "HTTP/1.0 ")
        for line in lines where !line.isEmpty { try fields.take(head, line) }
        guard !fields.isChunked || fields.length == nil else { throw FetchFault("the answer says its length twice") }
        if fields.isChunked { return Head(status: status, framing: .chunked, fields: fields) }
        // What these have of a length is not that of a body.
        let length = status == 204 || status == 304 ? 0 : fields.length
        guard let length else { throw FetchFault("the answer does not say its length") }
        return Head(status: status, framing: .length(length), fields: fields)
    }

    private static func lines(of head: Span<UInt8>) -> [Range<Int>] {
        var lines: [Range<Int>] = []
        var start = 0
        for index in 0..<max(head.count - 1, 0) where index >= start && isLineEnd(head, index) {
            lines.append(start..<index)
            start = index + 2
        }
        return lines
    }

    private static func status(_ head: Span<UInt8>, _ line: Range<Int>) -> Int? {
        let version = line.prefix(9)
        guard line.count >= 12,
            ASCII.equals(head, version, "HTTP/1.1 ") || ASCII.equals(head, version, "HTTP/1.0 "),
            line.count == 12 || head[line.lowerBound + 12] == ASCII.space
        else { return nil }
        return DecimalInteger.parse(head, line.lowerBound + 9..<line.lowerBound + 12)
    }

    /// The headers that say how the body is framed, and what is to be done next.
    private struct Fields {
        var length: Int?
        var isChunked = false
        var retryAfter: String?
        var isLast = false

        mutating func take(_ head: Span<UInt8>, _ line: Range<Int>) throws(FetchFault) {
            guard let colon = line.first(where: { head[$0] == UInt8(ascii: ":") }), colon > line.lowerBound,
                !line.contains(where: { head[$0] < 0x20 && head[$0] != ASCII.tab }),
                !ASCII.isBlank(head[line.lowerBound]), !ASCII.isBlank(head[colon - 1])
            else { throw FetchFault("the answer has a header line that is none") }
            let name = line.lowerBound..<colon
            let value = ASCII.trimmed(head, colon + 1..<line.upperBound)
            if ASCII.equalsIgnoringCase(head, name, "content-length") {
                guard let number = DecimalInteger.parse(head, value), length == nil || length == number else {
                    throw FetchFault("the answer's length is not a number, or two")
                }
                length = number
            } else if ASCII.equalsIgnoringCase(head, name, "transfer-encoding") {
                guard !isChunked, ASCII.equalsIgnoringCase(head, value, "chunked") else {
                    throw FetchFault("the answer is coded in a way that is not understood")
                }
                isChunked = true
            } else if ASCII.equalsIgnoringCase(head, name, "content-encoding") {
                guard ASCII.equalsIgnoringCase(head, value, "identity") else {
                    throw FetchFault("the answer is compressed, which was not asked for")
                }
            } else if ASCII.equalsIgnoringCase(head, name, "connection") {
                if ASCII.equalsIgnoringCase(head, value, "close") { isLast = true }
            } else if ASCII.equalsIgnoringCase(head, name, "retry-after") {
                retryAfter = value.count <= 64 ? String(decoding: value.map { head[$0] }, as: UTF8.self) : nil
            }
        }
    }
}
