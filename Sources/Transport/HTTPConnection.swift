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
    private(set) var phase = Phase.head
    /// The phase when the move to another shard was ordered.
    private var phaseBeforeMove = Phase.answering
    private var exchange: HTTPExchange?
    private var source: BodySource?
    /// Bytes after the part of a request that can be handled now.
    private var stash: [UInt8] = []
    private var isParsing = false
    private var pace: BodyPace?
    /// Set while an answer goes out that the client does not read at once.
    private var answerPace: BodyPace?
    /// The bytes of that answer that the kernel had not taken at the last check.
    private var unreadBytes = 0
    private var isFirstRequest = true
    private var headBegun = false
    /// Whether the connection counts for the client of the request, not for the proxy.
    private var isClaimed = false

    init(_ connection: Connection) {
        self.connection = connection
        let server = connection.shard.server
        parser = HTTPRequestParser(limits: server.limits.http)
        arm(server.limits.handshakeMilliseconds)
    }

    /// After so many bytes in a turn, a large answer to a fast reader pauses for other connections.
    private static let streamedBytesPerTurnMax = 1 << 20

    private var limits: TransportLimits { connection.shard.server.limits }

    private func arm(_ milliseconds: Int) {
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
    private func resume() {
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

    // MARK: Out

    func respond(_ exchange: HTTPExchange, _ status: Int, _ headers: [(String, String)], body: [UInt8]) {
        guard exchange === self.exchange, connection.isOpen else { return }
        guard let head = responseHead(exchange, status, headers, length: body.count) else { return }
        let body = omitsBody(exchange, status) ? [] : body
        let result = head.withUnsafeBytes { head in
            body.withUnsafeBytes { body in
                let pieces: InlineArray<2, UnsafeRawBufferPointer> = [head, body]
                return connection.send(pieces.span)
            }
        }
        if result != .closed { answered(exchange) }
    }

    func respond(
        _ exchange: HTTPExchange, _ status: Int, _ headers: [(String, String)], length: Int,
        from source: @escaping (UnsafeMutableRawBufferPointer) -> Int
    ) {
        guard exchange === self.exchange, connection.isOpen else { return }
        guard let head = responseHead(exchange, status, headers, length: length) else { return }
        guard connection.send(head) != .closed else { return }
        if omitsBody(exchange, status) || length == 0 { return answered(exchange) }
        self.source = BodySource(remaining: length, fill: source)
        // After a request with an unread body no other request can follow: the connection ends with the answer.
        phase = phase == .answering ? .streaming : .undecided
        answerPace = BodyPace(streamed: true, now: connection.shard.now)
        streamMore()
    }

    private func omitsBody(_ exchange: HTTPExchange, _ status: Int) -> Bool {
        exchange.head.method == .head || status == 204 || status == 304
    }

    private func responseHead(
        _ exchange: HTTPExchange, _ status: Int, _ headers: [(String, String)], length: Int
    ) -> [UInt8]? {
        var context = HTTPResponseContext(exchange.head)
        context.keepAlive = keepsAlive(exchange)
        guard let bytes = encode(status, headers, length: length, for: context) else {
            // The application made a bad header from input of a client. Nothing of it may be sent.
            encode(500, [], length: 0, for: HTTPResponseContext()).map { _ = connection.send($0) }
            phase = .ended
            connection.finish()
            return nil
        }
        return bytes
    }

    private func encode(
        _ status: Int, _ headers: [(String, String)], length: Int, for context: HTTPResponseContext
    ) -> [UInt8]? {
        var head = HTTPResponseHead(status: status)
        for (name, value) in headers { head.headers.add(name, value) }
        var bytes: [UInt8] = []
        let plan = try? head.write(.length(length), for: context, date: connection.shard.date, into: &bytes)
        guard plan != nil else { return nil }
        connection.shard.counted.countAnswer(status)
        return bytes
    }

    private func keepsAlive(_ exchange: HTTPExchange) -> Bool {
        guard exchange.head.keepAlive, !exchange.endsConnection, !connection.shard.isStopping else { return false }
        // An answer before the request's body was read leaves bytes that nothing will read.
        return exchange.isContentRead
    }

    private func streamMore() {
        let buffer = connection.shard.streamBuffer
        var turnBytes = 0
        answerPace?.resume(now: connection.shard.now)
        while var source, !connection.isBlocked, turnBytes < Self.streamedBytesPerTurnMax {
            let most = min(source.remaining, buffer.count)
            let count = source.fill(UnsafeMutableRawBufferPointer(rebasing: buffer[..<most]))
            if count == HTTPExchange.notYet {
                answerPace?.pause(now: connection.shard.now)
                return connection.shard.cancel(connection.timer)
            }
            guard count > 0, count <= most else { return connection.end(.finished) }
            turnBytes += count
            answerPace?.moved(count, now: connection.shard.now, limits)
            source.remaining -= count
            self.source = source.remaining > 0 ? source : nil
            guard connection.send(UnsafeRawBufferPointer(rebasing: buffer[..<count])) != .closed else { return }
        }
        if source == nil {
            if let exchange { answered(exchange) }
        } else {
            armForAnswer()
            connection.wantWritable()
        }
    }

    private func armForAnswer() {
        if let answerPace { arm(answerPace.millisecondsLeft(now: connection.shard.now, limits)) }
    }

    func continueAnswer(of exchange: HTTPExchange) {
        guard exchange === self.exchange, source != nil, connection.isOpen else { return }
        streamMore()
    }

    private func answered(_ exchange: HTTPExchange) {
        unclaim()
        let goesOn = keepsAlive(exchange)
        self.exchange = nil
        pace = nil
        _ = exchange.retire()
        source = nil
        guard goesOn else {
            phase = .ended
            return connection.finish()
        }
        phase = .head
        headBegun = false
        waitForReader()
        resume()
        endIfPeerWaitsForNothing()
    }

    /// Arms the timer for the rest of an answer, or for the next request once the client has read all of it.
    private func waitForReader() {
        guard connection.isBlocked else {
            answerPace = nil
            return arm(limits.keepAliveMilliseconds)
        }
        answerPace = BodyPace(streamed: true, now: connection.shard.now)
        unreadBytes = connection.tailBytes
        armForAnswer()
    }

    /// Ends the connection unless the client has read enough of the answer since the last check.
    private func checkReader() {
        answerPace?.moved(unreadBytes - connection.tailBytes, now: connection.shard.now, limits)
        unreadBytes = connection.tailBytes
        guard let answerPace, answerPace.millisecondsLeft(now: connection.shard.now, limits) > 1 else {
            return connection.end(.slowReader)
        }
        armForAnswer()
    }

    /// When the peer has closed its sending side, the connection ends with the answers in progress.
    private func endIfPeerWaitsForNothing() {
        if connection.inputEnded, !isParsing, !inputEnded() { connection.finish() }
    }

    /// An answer that is held open does not count: a peer that waits for it cannot be told from one that has gone.
    func inputEnded() -> Bool {
        source != nil || (phase == .head && !stash.isEmpty)
    }

    /// Answers input that is not HTTP, or too long, and ends the connection.
    private func refuse(_ error: HTTPParseError) {
        let exchange = exchange
        self.exchange = nil
        let text = Array((error.reason + "\n").utf8)
        let headers = [("Content-Type", "text/plain; charset=utf-8")]
        if let head = encode(error.status, headers, length: text.count, for: HTTPResponseContext()) {
            connection.send(head + text)
        }
        phase = .ended
        exchange?.retire()?(.protocolError)
        connection.finish()
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

    private func unclaim() {
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

    /// The last address of `X-Forwarded-For` that is not itself a trusted proxy.
    private func effectivePeer(_ head: HTTPRequestHead) -> PeerAddress {
        let server = connection.shard.server
        guard server.forwardedFor, server.isTrustedProxy(connection.peer) else { return connection.peer }
        var peer = connection.peer
        for token in head.headers.tokens(named: "X-Forwarded-For").reversed() {
            guard let address = PeerAddress(token) else { break }
            peer = address
            if !server.isTrustedProxy(address) { break }
        }
        return peer
    }
}

/// The rest of a body that is sent piece by piece.
private struct BodySource {
    var remaining: Int
    let fill: (UnsafeMutableRawBufferPointer) -> Int
}
