import Wire

extension HTTPConnection {
    /// After so many bytes in a turn, a large answer to a fast reader pauses for other connections.
    private static let streamedBytesPerTurnMax = 1 << 20

    func respond(_ exchange: HTTPExchange, _ status: Int, _ headers: [(String, String)], body: [UInt8]) {
        guard exchange === self.exchange, connection.isOpen else { return }
        guard let head = responseHead(exchange, status, headers, length: body.count) else { return }
        let body = omitsBody(exchange, status) ? [] : body
        // A client that has the answer may ask again at once, on another connection.
        unclaim()
        let result = head.withUnsafeBytes { head in
            body.withUnsafeBytes { body in
                let pieces: InlineArray<2, UnsafeRawBufferPointer> = [head, body]
                return connection.send(pieces.span.extracting(first: body.isEmpty ? 1 : 2))
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

    func encode(
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

    func streamMore() {
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
    func waitForReader() {
        guard connection.isBlocked else {
            answerPace = nil
            return arm(limits.keepAliveMilliseconds)
        }
        answerPace = BodyPace(streamed: true, now: connection.shard.now)
        unreadBytes = connection.tailBytes
        armForAnswer()
    }

    /// Ends the connection unless the client has read enough of the answer since the last check.
    func checkReader() {
        answerPace?.moved(unreadBytes - connection.tailBytes, now: connection.shard.now, limits)
        unreadBytes = connection.tailBytes
        guard let answerPace, answerPace.millisecondsLeft(now: connection.shard.now, limits) > 1 else {
            return connection.end(.slowReader)
        }
        armForAnswer()
    }

    /// When the peer has closed its sending side, the connection ends with the answers in progress.
    func endIfPeerWaitsForNothing() {
        if connection.inputEnded, !isParsing, !inputEnded() { connection.finish() }
    }

    /// An answer that is held open does not count: a peer that waits for it cannot be told from one that has gone.
    func inputEnded() -> Bool {
        source != nil || (phase == .head && !stash.isEmpty)
    }

    /// Answers input that is not HTTP, or too long, and ends the connection.
    func refuse(_ error: HTTPParseError) {
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
}

/// The rest of a body that is sent piece by piece.
struct BodySource {
    var remaining: Int
    let fill: (UnsafeMutableRawBufferPointer) -> Int
}
