import Wire

/// The application of a WebSocket. It is called on its shard's thread.
public protocol WebSocketHandler: AnyObject {
    /// A whole message. The bytes are valid during the call; a text is valid UTF-8.
    func received(_ message: Span<UInt8>, isBinary: Bool)
    /// A ping or a pong, which the connection has handled itself.
    func receivedControl()
    /// The end of a turn in which `wantFlush()` was called, or in which blocked output was sent: the time to call
    /// `write`.
    func flush()
    /// The connection has ended. The code is the peer's, or 1006 when there was none.
    func closed(code: UInt16, reason: CloseReason)
}

extension WebSocketHandler {
    public func receivedControl() {}
}

/// A WebSocket on a connection.
public final class WebSocketConnection: ConnectionHandler {
    enum Phase {
        case open
        /// The server's close frame is sent, and the peer's is expected.
        case closing
        case ended
    }

    /// A reference cycle. It ends with the connection, which then releases its handler.
    public let connection: Connection
    /// The sender of the upgrade request: the peer, or the client that a trusted proxy names.
    public let peer: PeerAddress
    /// The connection keeps it alive until its end.
    private var handler: (any WebSocketHandler)?

    private var decoder: WebSocketDecoder
    /// Nil when no compression was agreed on.
    private var compressor: WebSocketCompressor?
    private var phase = Phase.open
    private var peerCode: UInt16 = 1006
    private var lastHeard: Int64 = 0
    /// Bytes that came with the upgrade request.
    private var early: [UInt8] = []
    /// Answers to pings that are not written yet. Past the bound the oldest are dropped, as the protocol allows.
    private var pongs: [[UInt8]] = []
    private static let pongsMax = 32
    /// Up to this size it is cheaper to copy pieces and send them as one: a list of pieces costs the kernel more than
    /// the copy.
    private static let copiedBytesMax = 16 << 10
    private var pingWaits = false
    /// Bytes gathered in the shard's output buffer during this flush.
    private var gathered = 0

    init(
        _ connection: Connection, _ peer: PeerAddress, deflate: PerMessageDeflate?, compressingFrom bytesMin: Int,
        handler: any WebSocketHandler
    ) {
        self.connection = connection
        self.peer = peer
        self.handler = handler
        let shard = connection.shard
        decoder = WebSocketDecoder(
            role: .server, limits: shard.server.limits.webSocket, deflate: deflate, context: shard.deflate)
        if let deflate {
            compressor = WebSocketCompressor(
                role: .server, deflate: deflate, context: shard.deflate, messageBytesMin: bytesMin)
        } else {
            compressor = nil
        }
        shard.server.counters.webSocketsOpen.add()
        lastHeard = shard.now
        armIdle(shard.server.limits.idleMilliseconds)
    }

    /// Armed once for the whole span. When it fires, it checks what arrived meanwhile.
    private func armIdle(_ milliseconds: Int) {
        if milliseconds > 0 {
            shard.arm(connection.timer, in: milliseconds)
        } else {
            shard.cancel(connection.timer)
        }
    }

    public var shard: Shard { connection.shard }
    public var isOpen: Bool { phase == .open && connection.isOpen }
    /// True while written bytes are not sent yet. `flush` is called again when they are.
    public var isBlocked: Bool { connection.isBlocked }

    // MARK: In

    func keepEarly(_ bytes: UnsafeRawBufferPointer) {
        guard !bytes.isEmpty else { return }
        early.append(contentsOf: bytes)
        // They wait for the answer to the upgrade. A peer that does not read may delay that.
        if early.count >= shard.server.limits.pipelineBytesMax { connection.pauseReading(true) }
        connection.wantFlush()
    }

    func received(_ bytes: UnsafeMutableRawBufferPointer) {
        lastHeard = shard.now
        guard early.isEmpty else { return keepEarly(UnsafeRawBufferPointer(bytes)) }
        // Fetched once, like the decoder: fetching it for each message costs as much as reading one. After the end
        // there is none.
        guard let handler else { return }
        do throws(WebSocketError) {
            try decode(bytes, &decoder, handler)
        } catch {
            fail(error)
        }
    }

    /// The decoder is taken out for the whole read. A handler never decodes meanwhile: further input waits in `early`,
    /// which is empty here.
    private func decode(
        _ bytes: UnsafeMutableRawBufferPointer, _ decoder: inout WebSocketDecoder, _ handler: any WebSocketHandler
    ) throws(WebSocketError) {
        var offset = 0
        let input = UnsafeMutableBufferPointer(
            start: bytes.baseAddress?.assumingMemoryBound(to: UInt8.self), count: bytes.count)
        var span = input.mutableSpan
        while phase != .ended {
            let event = try decoder.next(&span, offset: &offset)
            if case .needMore = event { return }
            take(event, UnsafeRawBufferPointer(bytes), decoder, handler)
        }
    }

    private func take(
        _ event: WebSocketDecoder.Event, _ bytes: UnsafeRawBufferPointer, _ decoder: borrowing WebSocketDecoder,
        _ handler: any WebSocketHandler
    ) {
        switch event {
        case .needMore: break
        case .text(let payload): deliver(payload, bytes, decoder, isBinary: false, to: handler)
        case .binary(let payload): deliver(payload, bytes, decoder, isBinary: true, to: handler)
        case .ping(let payload):
            if pongs.count == Self.pongsMax { pongs.removeFirst() }
            pongs.append(withPayload(payload, bytes, decoder) { span in span.withUnsafeBytes { Array($0) } })
            connection.wantFlush()
            if phase == .open { handler.receivedControl() }
        case .pong: if phase == .open { handler.receivedControl() }
        case .close(let code, _): peerClosed(code)
        }
    }

    private func deliver(
        _ payload: WebSocketDecoder.Payload, _ bytes: UnsafeRawBufferPointer, _ decoder: borrowing WebSocketDecoder,
        isBinary: Bool, to handler: any WebSocketHandler
    ) {
        guard phase == .open else { return }
        withPayload(payload, bytes, decoder) { handler.received($0, isBinary: isBinary) }
    }

    private func withPayload<Result>(
        _ payload: WebSocketDecoder.Payload, _ bytes: UnsafeRawBufferPointer, _ decoder: borrowing WebSocketDecoder,
        _ body: (Span<UInt8>) -> Result
    ) -> Result {
        switch payload {
        case .input(let range):
            body(UnsafeRawBufferPointer(rebasing: bytes[range]).assumingMemoryBound(to: UInt8.self).span)
        case .assembled:
            body(decoder.assembled.span)
        }
    }

    /// Answers to the messages before the fault are sent before the close frame.
    private func fail(_ error: WebSocketError) {
        flushNow()
        sendClose(error.closeCode, error.reason)
        end(.protocolError)
    }

    private func peerClosed(_ code: UInt16?) {
        peerCode = code ?? 1005
        let answersOurs = phase == .closing
        sendClose(code ?? 1000, "")
        end(answersOurs ? .finished : .peerClosed)
    }

    // MARK: Out

    /// Asks the peer for a sign of life. The handler is told of it: `receivedControl`.
    public func ping() {
        pingWaits = true
        wantFlush()
    }

    public func wantFlush() {
        connection.wantFlush()
    }

    /// Writes one message; call it from `flush`. `prefix` goes in front of the bytes.
    ///
    /// Writes are gathered and sent together after `flush`. After the result `blocked`, the rest waits for the next
    /// flush.
    @discardableResult
    public func write(_ bytes: UnsafeRawBufferPointer, prefix: UInt8? = nil, isBinary: Bool = false) -> SendResult {
        guard isOpen else { return .closed }
        let opcode: WebSocketOpcode = isBinary ? .binary : .text
        if compressor != nil, let compressed = compress(bytes, prefix) {
            return compressed.withUnsafeBytes { writeFrame($0, nil, opcode, compressed: true) }
        }
        return writeFrame(bytes, prefix, opcode, compressed: false)
    }

    /// Nil: the message is sent as it is, because it is small, or not smaller when compressed.
    private func compress(_ bytes: UnsafeRawBufferPointer, _ prefix: UInt8?) -> [UInt8]? {
        var message: [UInt8] = []
        message.reserveCapacity(bytes.count + 1)
        if let prefix { message.append(prefix) }
        message.append(contentsOf: bytes)
        var compressed: [UInt8] = []
        guard compressor?.compress(message.span, into: &compressed) == true else { return nil }
        return compressed
    }

    @discardableResult
    private func writeFrame(
        _ bytes: UnsafeRawBufferPointer, _ prefix: UInt8?, _ opcode: WebSocketOpcode, compressed: Bool
    ) -> SendResult {
        let output = connection.shard.output
        if gathered == 0 { beginGathering() }
        let length = bytes.count + (prefix == nil ? 0 : 1)
        var result = SendResult.sent
        if gathered + length + WebSocketFrame.headerBytesMax > output.count {
            result = sendGathered()
            shard.gatherer = self
        }
        gathered = WebSocketFrame.writeHeader(
            to: output, at: gathered, opcode: opcode, payloadLength: length, compressed: compressed)
        if let prefix {
            output[gathered] = prefix
            gathered += 1
        }
        if gathered + bytes.count <= output.count {
            UnsafeMutableRawBufferPointer(rebasing: output[gathered..<(gathered + bytes.count)]).copyMemory(from: bytes)
            gathered += bytes.count
            return result
        }
        // A message larger than the buffer is sent from its own memory.
        let head = UnsafeRawBufferPointer(rebasing: output[..<gathered])
        gathered = 0
        shard.gatherer = nil
        let pieces: InlineArray<2, UnsafeRawBufferPointer> = [head, bytes]
        return connection.send(pieces.span)
    }

    /// Writes encoded frames, such as those of a room's tick; call it from `flush`.
    public func writeEncoded(_ pieces: Span<UnsafeRawBufferPointer>) -> SendResult {
        guard isOpen, sendGathered() != .closed else { return .closed }
        guard pieces.count > 1, shard.gatherer == nil, let copied = copy(pieces) else { return connection.send(pieces) }
        return connection.send(copied)
    }

    public func writeEncoded(_ bytes: UnsafeRawBufferPointer) -> SendResult {
        let pieces: InlineArray<1, UnsafeRawBufferPointer> = [bytes]
        return writeEncoded(pieces.span)
    }

    /// Little that is in pieces goes out faster from one place.
    private func copy(_ pieces: Span<UnsafeRawBufferPointer>) -> UnsafeRawBufferPointer? {
        var count = 0
        for index in pieces.indices { count += pieces[index].count }
        guard count <= Self.copiedBytesMax else { return nil }
        let output = shard.output
        var end = 0
        for index in pieces.indices {
            let piece = pieces[index]
            UnsafeMutableRawBufferPointer(rebasing: output[end..<end + piece.count]).copyMemory(from: piece)
            end += piece.count
        }
        return UnsafeRawBufferPointer(rebasing: output[..<end])
    }

    /// A handler may cause a write to another connection in the middle of its own flush, such as a close frame.
    private func beginGathering() {
        if let other = shard.gatherer, other !== self { other.sendGathered() }
        shard.gatherer = self
    }

    @discardableResult
    func sendGathered() -> SendResult {
        if shard.gatherer === self { shard.gatherer = nil }
        guard gathered > 0 else { return connection.isBlocked ? .blocked : .sent }
        let bytes = UnsafeRawBufferPointer(rebasing: shard.output[..<gathered])
        gathered = 0
        return connection.send(bytes)
    }

    func flush() {
        if !early.isEmpty {
            var bytes = early
            early = []
            connection.pauseReading(false)
            bytes.withUnsafeMutableBytes { received($0) }
        }
        if !pongs.isEmpty, phase == .open {
            for pong in pongs { pong.withUnsafeBytes { _ = writeFrame($0, nil, .pong, compressed: false) } }
            pongs = []
        }
        if pingWaits, phase == .open {
            pingWaits = false
            _ = writeFrame(UnsafeRawBufferPointer(start: nil, count: 0), nil, .ping, compressed: false)
        }
        if phase == .open { handler?.flush() }
        sendGathered()
    }

    func writable() {}

    /// Sends at once what would be sent at the end of the turn.
    public func flushNow() {
        if !isBlocked, isOpen { flush() }
    }

    // MARK: The end

    /// Sends a close frame, and ends the connection when the peer has answered, or after a while.
    public func close(code: UInt16, reason: String = "") {
        guard isOpen else { return }
        sendClose(code, reason)
        // The end of the peer may be noticed only now. A connection that has ended must not arm a timer.
        guard isOpen else { return }
        phase = .closing
        connection.shard.arm(connection.timer, in: connection.shard.server.limits.lingerMilliseconds)
    }

    /// Ends the connection without a close frame: the peer sees the end of the stream behind what was written.
    public func finish() {
        guard isOpen else { return }
        sendGathered()
        end(.finished)
    }

    private func sendClose(_ code: UInt16, _ reason: String) {
        guard phase == .open else { return }
        sendGathered()
        var frame: [UInt8] = []
        WebSocketFrame.append(closeCode: code, reason: reason, into: &frame)
        connection.send(frame)
    }

    private func end(_ reason: CloseReason) {
        guard phase != .ended else { return }
        notify(reason)
        connection.finish()
    }

    func timerFired() {
        guard phase == .open else { return end(.finished) }
        let silent = Int(shard.now - lastHeard)
        let bound = shard.server.limits.idleMilliseconds
        if silent < bound { return armIdle(bound - silent) }
        sendClose(1001, "idle")
        end(.idleTimeout)
    }

    func moved() {}
    func moveRefused() {}

    func inputEnded() -> Bool { false }

    func closed(_ reason: CloseReason) {
        notify(reason)
    }

    private func notify(_ reason: CloseReason) {
        guard phase != .ended else { return }
        phase = .ended
        connection.shard.server.counters.webSocketsOpen.subtract()
        let handler = handler
        self.handler = nil
        handler?.closed(code: peerCode, reason: reason)
    }
}
