/// A response of HTTP/1.1 as a client has read it.
package struct HTTPResponse: Sendable {
    package var status = 0
    /// Names in lower case.
    package var headers: [(name: String, value: String)] = []
    package var body: [UInt8] = []

    /// The value of the first header with this name, which is in lower case.
    package subscript(name: String) -> String? { headers.first { $0.name == name }?.value }
}

/// Why what a server sent is no response that is taken.
package enum HTTPResponseFault: Error {
    case notHTTP
    case tooLarge

    package var reason: String {
        switch self {
        case .notHTTP: "the answer is not HTTP/1.1"
        case .tooLarge: "the answer is too large"
        }
    }
}

/// Takes responses apart, whatever pieces they come in: a length, chunks, or the connection's end ends a body.
package struct HTTPResponseReader {
    private static let headBytesMax = 32 * 1024
    private static let lineBytesMax = 1_024

    /// How much of a response is read.
    package enum Extent: Sendable {
        /// The response as a whole. Interim ones (1xx) are passed over, except 101.
        case whole
        /// The head alone, also that of an interim response. What follows it is the caller's.
        case head
    }

    private enum Phase: Equatable {
        case head
        case body(Int)
        case chunkSize
        case chunk(Int)
        case chunkEnd
        case trailer
        case untilEnd
    }

    private let extent: Extent
    private let bodyBytesMax: Int
    private var phase = Phase.head
    private var line: [UInt8] = []
    private var headBytes = 0
    private var response = HTTPResponse()

    package init(_ extent: Extent = .whole, bodyBytesMax: Int) {
        self.extent = extent
        self.bodyBytesMax = bodyBytesMax
    }

    /// Consumes `bytes` from `offset` on up to the end of a response and gives that; nil where more has to come.
    package mutating func next(_ bytes: Span<UInt8>, _ offset: inout Int) throws(HTTPResponseFault) -> HTTPResponse? {
        while offset < bytes.count {
            switch phase {
            case .body(let missing), .chunk(let missing):
                let count = min(missing, bytes.count - offset)
                bytes.extracting(offset..<offset + count).withUnsafeBufferPointer {
                    response.body.append(contentsOf: $0)
                }
                offset += count
                if case .body = phase {
                    phase = .body(missing - count)
                    if missing == count { return take() }
                } else {
                    phase = missing == count ? .chunkEnd : .chunk(missing - count)
                }
            case .untilEnd:
                guard bytes.count - offset <= bodyBytesMax - response.body.count else { throw .tooLarge }
                bytes.extracting(offset..<bytes.count).withUnsafeBufferPointer { response.body.append(contentsOf: $0) }
                offset = bytes.count
            case .head, .chunkSize, .chunkEnd, .trailer:
                let byte = bytes[offset]
                offset += 1
                if try takeByte(byte) { return take() }
            }
        }
        return nil
    }

    /// The connection has ended: what there is, where that may be the end of a response.
    package mutating func end() -> HTTPResponse? { phase == .untilEnd ? take() : nil }

    /// Whether that was the end of a response.
    private mutating func takeByte(_ byte: UInt8) throws(HTTPResponseFault) -> Bool {
        guard byte == ASCII.lineFeed else {
            headBytes += 1
            guard line.count < (phase == .head ? Self.headBytesMax : Self.lineBytesMax), headBytes <= Self.headBytesMax
            else { throw .notHTTP }
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
            guard text.isEmpty else { throw .notHTTP }
            phase = .chunkSize
            headBytes = 0
        default: return text.isEmpty
        }
        return false
    }

    private mutating func takeHeadLine(_ text: String) throws(HTTPResponseFault) -> Bool {
        if response.status == 0 {
            let parts = text.split(separator: " ", maxSplits: 2)
            guard parts.count >= 2, parts[0].hasPrefix("HTTP/1."), parts[1].utf8.count == 3, let status = Int(parts[1])
            else { throw .notHTTP }
            response.status = status
            return false
        }
        if text.isEmpty { return try endHead() }
        guard let colon = text.firstIndex(of: ":") else { throw .notHTTP }
        let value = text[text.index(after: colon)...].drop { $0 == " " || $0 == "\t" }
        response.headers.append((text[..<colon].lowercased(), String(value)))
        return false
    }

    private mutating func endHead() throws(HTTPResponseFault) -> Bool {
        if extent == .head { return true }
        if response.status == 101 || response.status == 204 || response.status == 304 { return true }
        if response.status < 200 {
            response = HTTPResponse()
            return false
        }
        if response["transfer-encoding"]?.lowercased() == "chunked" {
            phase = .chunkSize
            headBytes = 0
            return false
        }
        guard let length = response["content-length"] else {
            phase = .untilEnd
            return false
        }
        guard let count = Int(length), count >= 0 else { throw .notHTTP }
        guard count <= bodyBytesMax else { throw .tooLarge }
        phase = .body(count)
        return count == 0
    }

    private mutating func takeChunkSize(_ text: String) throws(HTTPResponseFault) {
        let digits = text.prefix { $0 != ";" && $0 != " " }
        guard digits.utf8.count <= 8, let size = Int(digits, radix: 16), size >= 0 else { throw .notHTTP }
        guard size <= bodyBytesMax - response.body.count else { throw .tooLarge }
        phase = size == 0 ? .trailer : .chunk(size)
    }

    private mutating func take() -> HTTPResponse {
        defer { self = HTTPResponseReader(extent, bodyBytesMax: bodyBytesMax) }
        return response
    }
}
