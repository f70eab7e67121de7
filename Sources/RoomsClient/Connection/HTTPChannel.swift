import Wire

/// A kept-alive connection for one request after another.
final class HTTPChannel: ByteStreamOwner {
    typealias Done = (Result<HTTPResponse, ClientError>) -> Void

    /// A connection that was idle for longer is not used again: the server may be about to close it, and a request that
    /// is lost with it may not simply be repeated.
    private static let idleMillisecondsMax: Int64 = 15_000

    private let loop: ClientLoop
    private let url: ServerURL
    private let options: ConnectionOptions
    private var stream: ByteStream?
    private var reader: HTTPResponseReader
    private var request: [UInt8] = []
    private var done: Done?
    private var lastUse: Int64 = 0

    init(_ loop: ClientLoop, _ url: ServerURL, _ options: ConnectionOptions) {
        self.loop = loop
        self.url = url
        self.options = options
        reader = HTTPResponseReader(bodyBytesMax: options.webSocketLimits.messageBytesMax)
    }

    var isBusy: Bool { done != nil }

    func send(_ method: String, _ target: String, body: [UInt8] = [], _ done: @escaping Done) {
        precondition(self.done == nil, "one request at a time")
        self.done = done
        var head = "\(method) \(target) HTTP/1.1\r\nHost: \(url.authority)\r\nUser-Agent: \(options.userAgent)\r\n"
        if method == "POST" {
            head += "Content-Type: text/plain;charset=UTF-8\r\nContent-Length: \(body.count)\r\n"
        }
        request = Array("\(head)\r\n".utf8) + body
        if let stream, stream.isOpen, loop.now - lastUse < Self.idleMillisecondsMax { return write(to: stream) }
        stream?.close()
        let fresh = ByteStream(loop, url, options.trust, owner: self)
        stream = fresh
        fresh.open(timeoutMilliseconds: options.connectTimeoutMilliseconds)
    }

    func streamOpened() {
        if let stream { write(to: stream) }
    }

    private func write(to stream: ByteStream) {
        let bytes = request
        request = []
        stream.write { $0.append(contentsOf: bytes) }
    }

    func streamReceived(_ bytes: UnsafeMutableRawBufferPointer) {
        let input = UnsafeRawBufferPointer(bytes).assumingMemoryBound(to: UInt8.self)
        var offset = 0
        do throws(ClientError) {
            guard let answer = try reader.nextOfServer(input.span, &offset) else { return }
            guard offset == bytes.count else { throw .cannotConnect("something follows the answer") }
            lastUse = loop.now
            if answer["connection"]?.lowercased() == "close" { drop() }
            finish(.success(answer))
        } catch {
            drop()
            finish(.failure(error))
        }
    }

    func streamDrained() {}

    func streamEnded(_ reason: String) {
        stream = nil
        let last = reader.end()
        reader = HTTPResponseReader(bodyBytesMax: options.webSocketLimits.messageBytesMax)
        finish(last.map { .success($0) } ?? .failure(.cannotConnect(reason)))
    }

    private func finish(_ result: Result<HTTPResponse, ClientError>) {
        let done = done.take()
        done?(result)
    }

    private func drop() {
        stream?.close()
        stream = nil
    }

    func setReading(_ isReading: Bool) { stream?.setReading(isReading) }

    func close(isCut: Bool = false) {
        done = nil
        if isCut { stream?.cut() } else { stream?.close() }
        stream = nil
    }
}

extension HTTPResponseReader {
    /// The next response, with a fault as an error of the client's.
    mutating func nextOfServer(_ bytes: Span<UInt8>, _ offset: inout Int) throws(ClientError) -> HTTPResponse? {
        do throws(HTTPResponseFault) {
            return try next(bytes, &offset)
        } catch {
            throw .cannotConnect(error.reason)
        }
    }
}
