import Transport
import Wire

/// HTTP long-polling: one request waits for packets of the server, another brings packets of the client.
final class PollingTransport {
    /// Until the session is forgotten.
    var session: EngineSession?
    private var poll: (any PollExchange)?
    /// Whether a request brings packets.
    private(set) var isReceiving = false
    private var flushQueued = false

    /// Whether a request waits for packets.
    var isPolled: Bool { poll != nil }

    // MARK: Out

    func get(_ exchange: any PollExchange) {
        guard let session, session.state != .closed else { return EngineFault.unknownSession.answer(exchange) }
        guard poll == nil else {
            // A client with two polls has lost its state: packets could overtake one another.
            session.end(.transportError)
            return EngineFault.badRequest.answer(exchange)
        }
        poll = exchange
        exchange.aborted = { [weak self] _ in self?.pollAborted() }
        flush()
        guard poll != nil, !exchange.claimConnection() else { return }
        if let exchange = takePoll() { EngineFault.full.answer(exchange) }
    }

    private func pollAborted() {
        poll = nil
        session?.end(.transportClose)
    }

    /// Answers the waiting poll at the end of this turn, with all packets of the turn.
    func wantFlush() {
        guard !flushQueued, let session, poll != nil else { return }
        flushQueued = true
        session.shard.atTurnEnd { [weak self] in
            self?.flushQueued = false
            self?.flush()
        }
    }

    func flush() {
        guard let session, poll != nil else { return }
        if session.outbox.isEmpty { session.drained() }
        if session.outbox.isEmpty {
            if session.releasesPolls { release(.noop) }
            return
        }
        var writer = EnginePayloadWriter(form: form(for: session))
        var body: [UInt8] = []
        while let packet = session.outbox.next {
            let size = writer.size(packet.bytes.span, isBinary: packet.isBinary)
            // The stock browser client handles an end before the other packets of the same answer.
            if writer.packetCount > 0, packet.type == .close { break }
            if writer.packetCount > 0, body.count + size > session.configuration.pollBytesMax { break }
            writer.append(packet.type, packet.bytes.span, isBinary: packet.isBinary, to: &body)
            session.outbox.removeFirst()
        }
        takePoll()?.answer(body, writer.form)
        if session.state == .farewell, session.outbox.isEmpty { session.forget() }
    }

    /// Version 3 has a text form and a binary one. A whole payload has one form.
    private func form(for session: EngineSession) -> EnginePayload.Form {
        let wantsFraming =
            session.version == .v3
            && session.outbox.contains {
                EnginePayload.wantsFraming($0.bytes.span, isBinary: $0.isBinary)
            }
        return .ofResponse(version: session.version, base64Only: session.base64Only, wantsFraming: wantsFraming)
    }

    /// Answers the waiting poll, if there is one, with a packet that has no content.
    func release(_ type: EnginePacketType) {
        guard let session else { return }
        takePoll()?.answer(type, session.version)
    }

    private func takePoll() -> (any PollExchange)? {
        let exchange = poll
        poll = nil
        exchange?.aborted = nil
        return exchange
    }

    // MARK: In

    func post(_ exchange: any PollExchange) {
        guard let session else { return EngineFault.unknownSession.answer(exchange) }
        guard !isReceiving else {
            session.end(.transportError)
            return EngineFault.badRequest.answer(exchange)
        }
        let contentType = Array((exchange.contentType ?? "").utf8)
        guard let form = EnginePayload.Form.ofRequest(version: session.version, contentType: contentType.span) else {
            session.end(.transportError)
            return EngineFault.badRequest.answer(exchange)
        }
        isReceiving = true
        exchange.aborted = { [weak self] _ in
            self?.isReceiving = false
            self?.session?.end(.transportError)
        }
        exchange.receiveContent(max: session.configuration.maxPayloadBytes) { [weak self] exchange, body in
            exchange.aborted = nil
            // The session may have ended, and this transport with it, while the body arrived.
            guard let self else { return EngineFault.unknownSession.answer(exchange) }
            self.isReceiving = false
            self.receive(body, form, exchange)
        }
    }

    private func receive(_ body: [UInt8], _ form: EnginePayload.Form, _ exchange: any PollExchange) {
        guard let session, session.state != .closed else { return EngineFault.unknownSession.answer(exchange) }
        // A session that the server has ended ignores input. Its client still has to read the reason.
        guard session.isOpen else { return answerOK(exchange) }
        let packets: [EnginePacket]
        do {
            packets = try EnginePayload.decode(body.span, form: form)
        } catch {
            session.end(.parseError)
            return EngineFault.badRequest.answer(exchange)
        }
        for packet in packets { session.received(packet.type, packet.data.span, isBinary: packet.isBinary) }
        answerOK(exchange)
        session.postEnded()
    }

    private func answerOK(_ exchange: any PollExchange) {
        exchange.respond(200, [("Content-Type", "text/html"), ("Cache-Control", "no-store")], body: Array("ok".utf8))
    }
}
