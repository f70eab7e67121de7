import Wire

/// An answer of HTTP/1.1 from a server.
struct HTTPAnswer: Equatable {
    var status = 0
    /// Names in lower case.
    var headers: [(name: String, value: String)] = []
    var body: [UInt8] = []

    subscript(name: String) -> String? { headers.first { $0.name == name }?.value }

    static func == (one: HTTPAnswer, other: HTTPAnswer) -> Bool {
        one.status == other.status && one.body == other.body
            && one.headers.elementsEqual(other.headers) { $0.name == $1.name && $0.value == $1.value }
    }
}

/// Takes answers apart, whatever pieces they come in: a length, chunks, or the connection's end ends a body.
struct HTTPAnswerReader {
    static let headBytesMax = 32 * 1024
    static let lineBytesMax = 1_024

    private enum Phase: Equatable {
        case head
        case body(Int)
        case chunkSize
        case chunk(Int)
        case chunkEnd
        case trailer
        case untilEnd
    }

    private let bodyBytesMax: Int
    private var phase = Phase.head
    private var line: [UInt8] = []
    private var headBytes = 0
    private var answer = HTTPAnswer()

    init(bodyBytesMax: Int) {
        self.bodyBytesMax = bodyBytesMax
    }

    /// Consumes `bytes` from `offset` on up to the end of an answer and gives that; nil where more has to come.
    mutating func next(_ bytes: Span<UInt8>, _ offset: inout Int) throws(ClientError) -> HTTPAnswer? {
        while offset < bytes.count {
            switch phase {
            case .body(let missing), .chunk(let missing):
                let count = min(missing, bytes.count - offset)
                bytes.extracting(offset..<offset + count).withUnsafeBufferPointer { answer.body.append(contentsOf: $0) }
                offset += count
                if case .body = phase {
                    phase = .body(missing - count)
                    if missing == count { return take() }
                } else {
                    phase = missing == count ? .chunkEnd : .chunk(missing - count)
                }
            case .untilEnd:
                guard bytes.count - offset <= bodyBytesMax - answer.body.count else { throw Self.tooLarge }
                bytes.extracting(offset..<bytes.count).withUnsafeBufferPointer { answer.body.append(contentsOf: $0) }
                offset = bytes.count
            case .head, .chunkSize, .chunkEnd, .trailer:
                let byte = bytes[offset]
                offset += 1
                if try takeByte(byte) { return take() }
            }
        }
        return nil
    }

    /// The connection has ended: what there is, where that may be the end of an answer.
    mutating func end() -> HTTPAnswer? { phase == .untilEnd ? take() : nil }

    /// Whether that was the end of an answer.
    private mutating func takeByte(_ byte: UInt8) throws(ClientError) -> Bool {
        guard byte == ASCII.lineFeed else {
            headBytes += 1
            guard line.count < (phase == .head ? Self.headBytesMax : Self.lineBytesMax), headBytes <= Self.headBytesMax
            else { throw Self.notHTTP }
            line.append(byte)
            return false
        }
        if line.last == ASCII.carriageReturn { line.removeLast() }
        let text = String(decoding: line, as: UTF8.self)
        line = []
        switch phase {
        case .head: return try takeHeadLine(text)
        case .chunkSize: try takeChunkSize(text)
        case .chunkEnd:
            guard text.isEmpty else { throw Self.notHTTP }
            phase = .chunkSize
            headBytes = 0
        default: return text.isEmpty
        }
        return false
    }

    private mutating func takeHeadLine(_ text: String) throws(ClientError) -> Bool {
        if answer.status == 0 {
            let parts = text.split(separator: " ", maxSplits: 2)
            guard parts.count >= 2, parts[0].hasPrefix("HTTP/1."), parts[1].utf8.count == 3, let status = Int(parts[1])
            else { throw Self.notHTTP }
            answer.status = status
            return false
        }
        if text.isEmpty { return try endHead() }
        guard let colon = text.firstIndex(of: ":") else { throw Self.notHTTP }
        let value = text[text.index(after: colon)...].drop { $0 == " " || $0 == "\t" }
        answer.headers.append((text[..<colon].lowercased(), String(value)))
        return false
    }

    private mutating func endHead() throws(ClientError) -> Bool {
        if answer.status == 101 || answer.status == 204 || answer.status == 304 { return true }
        if answer.status < 200 {
            answer = HTTPAnswer()
            return false
        }
        if answer["transfer-encoding"]?.lowercased() == "chunked" {
            phase = .chunkSize
            headBytes = 0
            return false
        }
        guard let length = answer["content-length"] else {
            phase = .untilEnd
            return false
        }
        guard let count = Int(length), count >= 0 else { throw Self.notHTTP }
        guard count <= bodyBytesMax else { throw Self.tooLarge }
        phase = .body(count)
        return count == 0
    }

    private mutating func takeChunkSize(_ text: String) throws(ClientError) {
        let digits = text.prefix { $0 != ";" && $0 != " " }
        guard digits.utf8.count <= 8, let size = Int(digits, radix: 16), size >= 0 else { throw Self.notHTTP }
        guard size <= bodyBytesMax - answer.body.count else { throw Self.tooLarge }
        phase = size == 0 ? .trailer : .chunk(size)
    }

    private mutating func take() -> HTTPAnswer {
        defer { self = HTTPAnswerReader(bodyBytesMax: bodyBytesMax) }
        return answer
    }

    private static let notHTTP = ClientError.cannotConnect("the answer is not HTTP/1.1")
    private static let tooLarge = ClientError.cannotConnect("the answer is too large")
}
