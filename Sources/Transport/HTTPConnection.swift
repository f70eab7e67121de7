import Wire

/// HTTP/1.1 on a connection: one request after another. Each is answered before the next is read.
final class HTTPConnection: ConnectionHandler {
    enum Phase {
        /// Between requests, or within a head.
        case head
        /// The service has the head, and has not asked for the body yet.
        case undecided
        case body
        /// The request is complete; its answer is not.
        case answering
        /// An answer is going out piece by piece.
        case streaming
        /// The connection is on its way to another shard.
        case moving
        case ended
    }

    /// A reference cycle. It ends with the connection, which then releases its handler.
    let connection: Connection
    private var parser: HTTPRequestParser
    var phase = Phase.head
    /// The phase when the move to another shard was ordered.
    private var phaseBeforeMove = Phase.answering
    var exchange: HTTPExchange?
    var source: BodySource?
    /// Bytes after the part of a request that can be handled now.
    var stash: [UInt8] = []
    var isParsing = false
    var pace: BodyPace?
    /// Set while an answer goes out that the client does not read at once.
    var answerPace: BodyPace?
    /// The bytes of that answer that the kernel had not taken at the last check.
    var unreadBytes = 0
    private var isFirstRequest = true
    var headBegun = false
    /// Whether the connection counts for the client of the request, not for the proxy.
    private var isClaimed = false

    init(_ connection: Connection) {
        self.connection = connection
        let server = connection.shard.server
        parser = HTTPRequestParser(limits: server.limits.http)
        arm(server.limits.handshakeMilliseconds)
    }

    var limits: TransportLimits { connection.shard.server.limits }

    func arm(_ milliseconds: Int) {
        connection.shard.arm(connection.timer, in: milliseconds)
    }

    // MARK: In

    func received(_ bytes: UnsafeMutableRawBufferPointer) {
        guard canParse, !isParsing, stash.isEmpty else { return keep(UnsafeRawBufferPointer(bytes)) }
        parse(bytes)
    }

    private var canParse: Bool {
        switch phase {
        // The server handles no more requests of a client that reads no answers.
        case .head: !connection.isBlocked
        case .body: pace?.isPaused != true
        case .undecided, .answering, .streaming, .moving, .ended: false
        }
    }

    private func keep(_ bytes: UnsafeRawBufferPointer) {
        guard phase != .ended else { return }
        stash.append(contentsOf: bytes)
        if keepsEnough { connection.pauseReading(true) }
    }

    private var keepsEnough: Bool { stash.count >= limits.pipelineBytesMax || pace?.isPaused == true }

    private func parse(_ bytes: UnsafeMutableRawBufferPointer) {
        isParsing = true
        defer { isParsing = false }
        var offset = 0
        let input = UnsafeBufferPointer(bytes.assumingMemoryBound(to: UInt8.self))
        do throws(HTTPParseError) {
            while canParse {
                let event = try parser.next(input.span, offset: &offset)
                if case .needMore = event {
                    if phase == .head, !headBegun, parser.isInsideRequest { beginHead() }
                    return
                }
                take(event, UnsafeRawBufferPointer(bytes))
            }
        } catch {
            return refuse(error)
        }
        guard offset < bytes.count else { return }
        let rest = UnsafeRawBufferPointer(rebasing: bytes[offset...])
        if let webSocket = connection.handler as? WebSocketConnection {
            webSocket.keepEarly(rest)
        } else {
            keep(rest)
        }
    }

    private func take(_ event: HTTPRequestParser.Event, _ bytes: UnsafeRawBufferPointer) {
        switch event {
        case .needMore: break
        case .head(let head): takeHead(head)
        case .body(let range): takeBody(UnsafeRawBufferPointer(rebasing: bytes[range]))
        case .end: takeEnd()
        }
    }

    private func beginHead() {
        headBegun = true
        if !isFirstRequest { arm(limits.headMilliseconds) }
    }

    private func takeHead(_ head: HTTPRequestHead) {
        connection.shard.server.counters.requests.add()
        isFirstRequest = false
        headBegun = false
        connection.shard.cancel(connection.timer)
        let exchange = HTTPExchange(head, effectivePeer(head), self)
        self.exchange = exchange
        // Without content the parser's `end` comes with the next call, at the beginning of the next request.
        phase = exchange.hasContent ? .undecided : .answering
        connection.shard.service.handle(exchange)
    }

    private func takeBody(_ bytes: UnsafeRawBufferPointer) {
        if pace?.moved(bytes.count, now: connection.shard.now, limits) == true { armForBody() }
        exchange?.receivedBody(bytes)
    }

    private func armForBody() {
        if let pace { arm(pace.millisecondsLeft(now: connection.shard.now, limits)) }
    }

    func pauseBody(_ paused: Bool, of exchange: HTTPExchange) {
        guard phase == .body, exchange === self.exchange, pace?.isPaused == !paused else { return }
        if paused {
            pace?.pause(now: connection.shard.now)
            connection.shard.cancel(connection.timer)
            connection.pauseReading(true)
        } else {
            pace?.resume(now: connection.shard.now)
            armForBody()
            resume()
        }
    }

    private func takeEnd() {
        guard phase == .body, let exchange else { return }
        pace = nil
        connection.shard.cancel(connection.timer)
        phase = .answering
        exchange.receivedEnd()
    }

    func bodyWanted(max: Int) {
        if case .answering = phase {
            guard let exchange else { return }
            return exchange.receivedEnd()
        }
        guard phase == .undecided, let exchange else { return }
        if case .length(let length) = exchange.head.body, length > max {
            return refuse(
                HTTPParseError(status: 413, reason: "The content has \(length) bytes; \(max) are allowed here."))
        }
        parser.bodyBytesMax = max
        phase = .body
        pace = BodyPace(streamed: exchange.isStreamed, now: connection.shard.now)
        armForBody()
        if exchange.head.expectsContinue { connection.send(HTTPResponseHead.continueBytes) }
        resume()
    }

    /// Handles the kept bytes, if the phase allows it now.
    func resume() {
        guard !isParsing, canParse else { return }
        guard !stash.isEmpty || phase == .body else {
            if phase == .head { connection.pauseReading(false) }
            return
        }
        var kept = stash
        stash = []
        kept.withUnsafeMutableBytes { parse($0) }
        if !keepsEnough { connection.pauseReading(false) }
    }

    // MARK: Becoming something else

    func upgrade(
        _ exchange: HTTPExchange, _ offer: HTTPRequestHead.WebSocketOffer, deflate: DeflateAgreement?,
        compressingFrom bytesMin: Int, handler: any WebSocketHandler
    ) -> WebSocketConnection? {
        guard exchange === self.exchange, connection.isOpen else { return nil }
        guard phase == .answering else {
            refuse(HTTPParseError(status: 400, reason: "A WebSocket handshake has no content."))
            return nil
        }
        guard let accept = WebSocketHandshake.accept(key: offer.key) else { return nil }
        var headers = [("Upgrade", "websocket"), ("Sec-WebSocket-Accept", accept)]
        if let deflate { headers.append(("Sec-WebSocket-Extensions", deflate.response)) }
        // A client that offers subprotocols closes a connection that has none of them. The first one will do.
        if let first = offer.protocols.first { headers.append(("Sec-WebSocket-Protocol", first)) }
        guard let head = encode(101, headers, length: 0, for: HTTPResponseContext(exchange.head)),
            connection.send(head) != .closed
        else { return nil }
        self.exchange = nil
        _ = exchange.retire()
        phase = .ended
        connection.countsUnread = false
        let webSocket = WebSocketConnection(
            connection, exchange.peer, deflate: deflate?.parameters, compressingFrom: bytesMin, handler: handler)
        connection.handler = webSocket
        stash.withUnsafeBytes { webSocket.keepEarly($0) }
        stash = []
        connection.pauseReading(false)
        return webSocket
    }

    func claim(for exchange: HTTPExchange) -> Bool {
        guard exchange === self.exchange, connection.isOpen else { return false }
        guard exchange.peer != connection.peer, !isClaimed else { return true }
        isClaimed = connection.count(for: exchange.peer)
        if !isClaimed {
            connection.shard.server.counters.connectionsRefused.add()
            _ = connection.count(for: connection.peer)
        }
        return isClaimed
    }

    func unclaim() {
        guard isClaimed else { return }
        isClaimed = false
        _ = connection.count(for: connection.peer)
    }

    func move(to shard: Int) {
        guard phase == .answering || phase == .undecided else { return }
        phaseBeforeMove = phase
        phase = .moving
        connection.moveAtTurnEnd(to: shard)
    }

    func moved() {
        phase = phaseBeforeMove
        if stash.count >= limits.pipelineBytesMax { connection.pauseReading(true) }
        if let exchange { connection.shard.service.handle(exchange) }
    }

    func moveRefused() {
        phase = phaseBeforeMove
        exchange?.respond(503, [("Retry-After", "1")])
    }

    // MARK: Events of the connection

    func writable() {
        if source != nil {
            streamMore()
        } else {
            if phase == .head, answerPace != nil { waitForReader() }
            resume()
        }
        endIfPeerWaitsForNothing()
    }

    func flush() {}

    func timerFired() {
        switch phase {
        case .head where answerPace != nil && connection.isBlocked: checkReader()
        case .head where headBegun && !isFirstRequest:
            refuse(HTTPParseError(status: 408, reason: "The request's head took too long."))
        case .head: connection.end(isFirstRequest ? .handshakeTimeout : .idleTimeout)
        case .body: refuse(HTTPParseError(status: 408, reason: "The request's content took too long."))
        case .streaming, .undecided: connection.end(.slowReader)
        case .answering, .moving, .ended: break
        }
    }

    func closed(_ reason: CloseReason) {
        phase = .ended
        source = nil
        let exchange = exchange
        self.exchange = nil
        exchange?.retire()?(reason)
    }

    // MARK: Proxies

    /// The last address of `X-Forwarded-For` that is no trusted proxy. Without the header the peer is the proxy itself. With a
    /// header that cannot be read, or whose last element is empty, the peer is `unknown`: a proxy is exempt from limits and bans,
    /// and its clients are not. Elements before an empty one may be the client's own invention.
    private func effectivePeer(_ head: HTTPRequestHead) -> PeerAddress {
        let (server, name) = (connection.shard.server, "X-Forwarded-For")
        guard server.forwardedFor, server.isTrustedProxy(connection.peer), head.headers.first(named: name) != nil else {
            return connection.peer
        }
        let elements = head.headers.elements(named: name)
        var peer = connection.peer
        for element in elements.reversed() {
            peer = PeerAddress(stated: element) ?? .unknown
            if !server.isTrustedProxy(peer) { break }
        }
        if peer.address == .unspecified {
            let sent = elements.suffix(4).joined(separator: ", ").prefix(200)
            server.noticeUnreadable(connection.peer, "\(name): \(sent)", now: connection.shard.now)
        }
        return peer
    }
}
