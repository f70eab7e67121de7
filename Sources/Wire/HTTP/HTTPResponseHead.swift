/// Status and headers of an answer. Length, framing, connection and date are not among `headers`: they follow from the
/// request, and `write` adds them.
public struct HTTPResponseHead: Sendable {
    public var status: Int
    public var headers: HTTPHeaders

    public init(status: Int, headers: HTTPHeaders = HTTPHeaders()) {
        self.status = status
        self.headers = headers
    }

    /// What a client is sent that waits for leave to send its content.
    public static let continueBytes = Array("HTTP/1.1 100 Continue\r\n\r\n".utf8)
}

/// What of a request decides the form of its answer.
public struct HTTPResponseContext: Sendable {
    public var minorVersion: Int
    public var isHead: Bool
    /// Whether the connection is to stay open; the owner's wish and the client's.
    public var keepAlive: Bool

    /// The context of a request that could not be read: its answer is the last.
    public init(minorVersion: Int = 1, isHead: Bool = false, keepAlive: Bool = false) {
        self.minorVersion = minorVersion
        self.isHead = isHead
        self.keepAlive = keepAlive
    }

    public init(_ request: HTTPRequestHead) {
        self.init(minorVersion: request.minorVersion, isHead: request.method == .head, keepAlive: request.keepAlive)
    }
}

/// The content that an answer has for a client that may have it.
public enum HTTPResponseBody: Equatable, Sendable {
    /// So many bytes, zero included.
    case length(Int)
    /// Of a length not known yet.
    case streamed
}

/// What the owner does after the head.
public struct HTTPResponsePlan: Equatable, Sendable {
    public enum Content: Equatable, Sendable {
        /// Nothing follows the head: the method, the status or the length says so.
        case none
        /// The bytes as they are, as many as announced.
        case plain
        /// Each piece through `HTTPChunks`, and the last chunk.
        case chunked
        /// The bytes as they are; closing the connection ends them, since HTTP/1.0 has no other way.
        case untilClose
    }

    public var content: Content
    /// Whether the connection stays open behind the answer, as its head has told the client.
    public var keepAlive: Bool

    public init(content: Content, keepAlive: Bool) {
        self.content = content
        self.keepAlive = keepAlive
    }
}

/// Why a head was not written: a value from a client would have forged a header or an answer. Each is a fault of the
/// code that filled the head in.
public enum HTTPResponseError: Error, Equatable, Sendable {
    case statusOutOfRange(Int)
    case negativeLength
    case invalidName(String)
    case invalidValue(name: String)
    /// A header that only `write` may set.
    case reservedName(String)
}
