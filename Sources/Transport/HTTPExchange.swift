import Wire

/// The agreement on compression, from `PerMessageDeflate.negotiate`.
public typealias DeflateAgreement = (parameters: PerMessageDeflate, response: String)

/// One request and its answer.
///
/// The answer may come at any later time on the same shard. Until then the response is held open, and the client's next
/// request waits.
public final class HTTPExchange {
    /// The way of a request's body.
    enum BodySink {
        /// The service has not asked for it: it waits in the kernel.
        case undecided
        case collect(max: Int, [UInt8], done: (HTTPExchange, [UInt8]) -> Void)
        case stream(chunk: (UnsafeRawBufferPointer) -> Void, done: (HTTPExchange) -> Void)
        case finished
    }

    public let head: HTTPRequestHead
    /// The sender of the request: the peer, or the client that a trusted proxy names.
    public let peer: PeerAddress
    /// Called when the connection ends before the answer is complete.
    public var aborted: ((CloseReason) -> Void)?
    /// Headers that every response to this request carries, such as those of CORS.
    public var commonHeaders: [(String, String)] = []
    /// Whether the connection is to end with the answer.
    public var endsConnection = false

    /// What stands before the path of the request, so that a service that is mounted below a path is at the root of a site.
    var prefix = ""

    private(set) weak var http: HTTPConnection?
    var body = BodySink.undecided
    public private(set) var isAnswered = false
    /// False after the first answer, and on the way to another shard, where the service is asked again.
    private var isOurs: Bool { !isAnswered && http?.phase != .moving }

    init(_ head: HTTPRequestHead, _ peer: PeerAddress, _ http: HTTPConnection) {
        self.head = head
        self.peer = peer
        self.http = http
    }

    /// The path of the request, as the service knows its own paths.
    public var path: String { prefix + head.path }
    /// Whether the service is at the root of a site.
    public var isAtRoot: Bool { !prefix.isEmpty }
    /// The index of the address that the client has connected to, among those of the server.
    var listener: Int? { http?.connection.listener }

    public var isSecure: Bool { http?.connection.isSecure ?? false }
    /// Nil when the connection has ended.
    public var shard: Shard? { http?.connection.shard }

    // MARK: The request's body

    var hasContent: Bool {
        head.body != .none && head.body != .length(0)
    }

    var isStreamed: Bool {
        if case .stream = body { true } else { false }
    }

    var isContentRead: Bool {
        if case .finished = body { return true }
        return !hasContent
    }

    /// Gathers the body, up to `max` bytes (413 beyond), and calls back when it is whole.
    public func receiveBody(max: Int, _ done: @escaping (HTTPExchange, [UInt8]) -> Void) {
        guard case .undecided = body, isOurs else { return }
        body = .collect(max: max, [], done: done)
        http?.bodyWanted(max: max)
    }

    /// Passes the body on piece by piece as it arrives, up to `max` bytes (413 beyond).
    public func streamBody(
        max: Int, chunk: @escaping (UnsafeRawBufferPointer) -> Void, done: @escaping (HTTPExchange) -> Void
    ) {
        guard case .undecided = body, isOurs else { return }
        body = .stream(chunk: chunk, done: done)
        http?.bodyWanted(max: max)
    }

    /// The further bytes of a streamed body stay in the kernel, and the client's time stands still.
    public func pauseBody() {
        http?.pauseBody(true, of: self)
    }

    public func resumeBody() {
        http?.pauseBody(false, of: self)
    }

    func receivedBody(_ bytes: UnsafeRawBufferPointer) {
        switch body {
        case .collect(let max, var gathered, let done):
            body = .undecided
            gathered.append(contentsOf: bytes)
            body = .collect(max: max, gathered, done: done)
        case .stream(let chunk, _): chunk(bytes)
        case .undecided, .finished: break
        }
    }

    func receivedEnd() {
        let sink = body
        body = .finished
        switch sink {
        case .collect(_, let gathered, let done): done(self, gathered)
        case .stream(_, let done): done(self)
        case .undecided, .finished: break
        }
    }

    /// Releases the application's functions, which may hold the exchange. Returns the one to call when there was no
    /// answer.
    func retire() -> ((CloseReason) -> Void)? {
        defer {
            aborted = nil
            body = .finished
        }
        return aborted
    }

    // MARK: The answer

    public func respond(_ status: Int, _ headers: [(String, String)] = [], text: String) {
        respond(status, headers + [("Content-Type", "text/plain; charset=utf-8")], body: Array(text.utf8))
    }

    /// Answers with a complete body. A second answer to a request is ignored.
    public func respond(_ status: Int, _ headers: [(String, String)] = [], body: [UInt8] = []) {
        guard isOurs else { return }
        isAnswered = true
        http?.respond(self, status, commonHeaders + headers, body: body)
    }

    /// Answers with `length` bytes that `source` gives piece by piece, as fast as the client reads them.
    ///
    /// `source` fills the buffer and returns how many bytes it has put there. Zero before `length` is reached ends the
    /// connection, because the client was told another length.
    public func respond(
        _ status: Int, _ headers: [(String, String)], length: Int,
        from source: @escaping (UnsafeMutableRawBufferPointer) -> Int
    ) {
        guard isOurs else { return }
        isAnswered = true
        http?.respond(self, status, commonHeaders + headers, length: length, from: source)
    }

    /// The result of a `source` that has nothing yet. It calls `continueAnswer` when it has.
    static let notYet = -1

    func continueAnswer() {
        http?.continueAnswer(of: self)
    }

    /// Turns the connection into a WebSocket. The caller has checked that the request asks for one. Nil means that the
    /// connection has ended.
    public func upgrade(
        _ offer: HTTPRequestHead.WebSocketOffer, deflate: DeflateAgreement? = nil,
        compressingFrom bytesMin: Int = 1_024,
        handler: any WebSocketHandler
    ) -> WebSocketConnection? {
        guard isOurs, let http else { return nil }
        isAnswered = true
        return http.upgrade(self, offer, deflate: deflate, compressingFrom: bytesMin, handler: handler)
    }

    /// Counts the connection for the client that a trusted proxy named in the request: until the request is answered,
    /// or to the connection's end if it becomes a WebSocket. Returns false when the client's address has reached its
    /// bound.
    public func claimConnection() -> Bool {
        isOurs && (http?.claim(for: self) ?? false)
    }

    /// Passes the request to the service of another shard, with its connection, at the end of this turn. Until then it
    /// cannot be answered. The answer is 503 when the other shard takes no more.
    public func move(to shard: Int) {
        guard isOurs else { return }
        http?.move(to: shard)
    }

    /// Ends the connection without an answer.
    public func abort() {
        guard !isAnswered else { return }
        isAnswered = true
        http?.connection.end(.finished)
    }
}
