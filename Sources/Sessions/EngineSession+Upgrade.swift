import Transport
import Wire

/// The way from polling to a WebSocket, and the POSTs that an upgrade has overtaken.
extension EngineSession {
    /// Accepts a WebSocket to try. It is closed when another one is being tried, or the session already has one.
    func consider(_ webSocket: WebSocketTransport) {
        guard state == .open, candidate == nil, case .polling = transport else { return webSocket.close() }
        candidate = webSocket
        let timer = LoopTimer { [unowned self] in self.upgradeTimedOut() }
        transitionTimer = timer
        shard.arm(timer, in: configuration.upgradeMilliseconds)
    }

    private func cancelTransitionTimer() {
        if let transitionTimer { shard.cancel(transitionTimer) }
        transitionTimer = nil
    }

    /// Handles a packet from a WebSocket that is being tried.
    func receivedByCandidate(_ type: EnginePacketType, _ data: Span<UInt8>) {
        guard let candidate else { return }
        switch type {
        case .ping where isProbe(data):
            candidate.sendProbeAnswer()
            isUpgrading = true
            if case .polling(let polling) = transport { polling.wantFlush() }
        case .upgrade: upgrade(to: candidate)
        default: dropCandidate()
        }
    }

    private func isProbe(_ data: Span<UInt8>) -> Bool {
        let probe: [UInt8] = [0x70, 0x72, 0x6f, 0x62, 0x65]
        return data.count == probe.count && data.indices.allSatisfy { data[$0] == probe[$0] }
    }

    private func upgrade(to webSocket: WebSocketTransport) {
        guard case .polling(let polling) = transport else { return }
        // The rest of a POST is older than later messages of the WebSocket. A session that ends handles neither.
        guard state != .open || !polling.isReceiving else { return webSocket.holdBack() }
        cancelTransitionTimer()
        candidate = nil
        isUpgrading = false
        service.totals.count(kind, -1)
        transport = .webSocket(webSocket)
        service.totals.count(kind, 1)
        service.totals.upgraded += 1
        polling.release(.noop)
        webSocket.wantFlush()
        if webSocket.isHoldingBack {
            webSocket.pass()
        } else if state == .open {
            keepTail(of: polling, webSocket)
        }
    }

    // MARK: Late POSTs

    private func keepTail(of polling: PollingTransport, _ webSocket: WebSocketTransport) {
        pollingTail = PollingTail(polling: polling, until: shard.now + Int64(configuration.lateBodyMilliseconds))
        guard base64Only else { return webSocket.pass(watching: true) }
        webSocket.holdBack()
        let timer = LoopTimer { [unowned self] in self.releaseHeldBack() }
        transitionTimer = timer
        shard.arm(timer, in: configuration.lateBodyHoldMilliseconds)
    }

    /// The transport for a request of polling. After an upgrade only a POST that the upgrade has overtaken has one.
    func polling(for method: HTTPMethod) -> PollingTransport? {
        switch transport {
        case .polling(let polling): polling
        case .webSocket(let webSocket): method == .post ? takeLateBody(before: webSocket) : nil
        }
    }

    private func takeLateBody(before webSocket: WebSocketTransport) -> PollingTransport? {
        guard let tail = pollingTail, shard.now < tail.until, state == .open else { return nil }
        cancelTransitionTimer()
        // Messages over the WebSocket are newer than the POST that is being read.
        webSocket.holdBack()
        return tail.polling
    }

    /// Whether a message over the WebSocket waits for a POST that it has overtaken, because the handler cannot accept
    /// it before that.
    func waitsForLatePost(before message: Span<UInt8>) -> Bool {
        guard let tail = pollingTail, shard.now < tail.until, handler?.canTake(message) == false else { return false }
        let timer = LoopTimer { [unowned self] in
            self.pollingTail = nil
            self.releaseHeldBack()
        }
        transitionTimer = timer
        // A pong is among the waiting messages and must be handled in time.
        shard.arm(timer, in: min(Int(tail.until - shard.now), configuration.pingTimeoutMilliseconds / 2))
        return true
    }

    /// A message over the WebSocket is about to be handled: from now on no older one can be accepted.
    func forgetPollingTail() {
        pollingTail = nil
    }

    private func releaseHeldBack() {
        cancelTransitionTimer()
        guard case .webSocket(let webSocket) = transport, webSocket.isHoldingBack else { return }
        webSocket.pass(watching: pollingTail != nil)
    }

    /// All packets of a POST have been handled.
    func postEnded() {
        guard state == .open else { return }
        finishHeldBackUpgrade()
        releaseHeldBack()
    }

    /// Whether the client has upgraded, and only a POST in progress keeps the server from doing the same.
    var isUpgradeHeldBack: Bool { candidate?.isHoldingBack == true }

    func finishHeldBackUpgrade() {
        if let candidate, candidate.isHoldingBack { upgrade(to: candidate) }
    }

    private func upgradeTimedOut() {
        // A client that has upgraded does not go back to polling.
        guard !isUpgradeHeldBack else { return end(.transportError) }
        dropCandidate()
    }

    /// Polling continues as if no WebSocket had been tried.
    func dropCandidate() {
        cancelTransitionTimer()
        let dropped = candidate
        candidate = nil
        isUpgrading = false
        dropped?.close()
    }

    /// Whether a poll is answered even when there is no packet for it.
    var releasesPolls: Bool { isUpgrading }
}
