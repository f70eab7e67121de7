import Wire

/// Reads one response (RFC 9112) with a status of 200 and a length that it says itself or content in chunks.
///
/// All else is a fault, redirects above all: keys come from the address that was given and no other.
struct ResponseReader {
    private enum Framing {
        case length(Int)
        case chunked
    }

    private let headBytesMax: Int
    private let bodyBytesMax: Int
    /// What has come of the head; then what has come of the body, chunks and all.
    private var bytes: [UInt8] = []
    private var framing: Framing?
    private var chunks = ChunkReader()

    init(headBytesMax: Int, bodyBytesMax: Int) {
        self.headBytesMax = headBytesMax
        self.bodyBytesMax = bodyBytesMax
    }

    /// The body, once all of it is there.
    mutating func take(_ input: Slice<UnsafeMutableRawBufferPointer>) throws(FetchFault) -> [UInt8]? {
        bytes.append(contentsOf: input)
        while framing == nil {
            guard let end = endOfHead() else {
                guard bytes.count < headBytesMax else { throw FetchFault("the head of the answer is too long") }
                return nil
            }
            guard end <= headBytesMax else { throw FetchFault("the head of the answer is too long") }
            framing = try Self.framing(bytes.span.extracting(0..<end))
            bytes.removeSubrange(..<end)
        }
        return try body()
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

    private mutating func body() throws(FetchFault) -> [UInt8]? {
        switch framing {
        case .length(let length):
            guard length <= bodyBytesMax else { throw FetchFault("the answer is larger than \(bodyBytesMax) bytes") }
            guard bytes.count <= length else { throw FetchFault("something follows the answer") }
            return bytes.count == length ? bytes : nil
        case .chunked:
            let piece = bytes
            bytes = []
            let isWhole = try chunks.take(piece.span, bodyBytesMax: bodyBytesMax)
            return isWhole ? chunks.content : nil
        case nil: return nil
        }
    }

    // MARK: The head

    /// Nil for an interim response, after which another head comes.
    private static func framing(_ head: Span<UInt8>) throws(FetchFault) -> Framing? {
        var lines = lines(of: head)[...]
        guard let first = lines.popFirst(), let status = status(head, first) else {
            throw FetchFault("the answer is not HTTP/1.1")
        }
        switch status {
        case 200: break
        case 101: throw FetchFault("the answer has status 101")
        case 100..<200: return nil
        case 300..<400: throw FetchFault("the answer is a redirect (status \(status)); give the address it leads to")
        default: throw FetchFault("the answer has status \(status)")
        }
        var fields = Fields()
        for line in lines where !line.isEmpty { try fields.take(head, line) }
        if fields.isChunked, fields.length == nil { return .chunked }
        guard let length = fields.length, !fields.isChunked else {
            throw FetchFault("the answer does not say its length, or says it twice")
        }
        return .length(length)
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

    /// The headers that say how the body is framed.
    private struct Fields {
        var length: Int?
        var isChunked = false

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
            }
        }
    }
}
