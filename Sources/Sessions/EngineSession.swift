import Transport
import Wire

/// One client's Engine.IO session over whatever transport it uses at the time.
///
/// Lives on one shard and is used there alone; connections that bring requests for it come to that shard.
public final class EngineSession {
    enum Transport {
        case polling(PollingTransport)
        case webSocket(WebSocketTransport)
    }

    enum State {
        case open
        /// Ended by us while the client could not be told: it still gets what waits, and then the end.
        case farewell
        case closed
    }

    public let id: SessionID
    public let version: EngineVersion
    public unowned let service: SessionService
    /// Known here too, with the rate, since every message asks: what is unowned costs at each use.
    public let shard: Shard
    private let packetRate: Rate
    /// The request with which the session began.
    public private(set) var handshake: HandshakeInfo
    /// The application's own.
    public var memory: AnyObject?
    /// Until the client has come into a namespace.
    private(set) var isPending = true
    /// A client that has several sessions one after the other has opened each before the next.
    public let opened = ContinuousClock.now
    /// A version 3 client that can take no binary frames, by its own word.
    let base64Only: Bool

    private(set) var state = State.open
    private var endReason = DisconnectReason.forcedServerClose
    private(set) var transport: Transport
    /// Between the upgrade and the first message over the WebSocket.
    private(set) var pollingTail: PollingTail?
    /// A WebSocket that is being tried while polling goes on.
    private(set) var candidate: WebSocketTransport?
    /// Set between the probe and the upgrade: a poll is answered at once, so that the client can pause polling.
    private var isUpgrading = false
    var outbox = Outbox()
    private var handler: (any EngineHandler)?
    private var packets = Pace()

    private let heartbeat = LoopTimer()
    /// While a WebSocket is being tried, and after the upgrade while messages wait for a late POST.
    private var transitionTimer: LoopTimer?
    /// When the next ping is due or, while one is unanswered, when the session is given up.
    private var heartbeatDue: Int64 = 0
    private var awaitsPong = false

    init(
        id: SessionID, version: EngineVersion, service: SessionService, handshake: HandshakeInfo, base64Only: Bool,
        transport: Transport
    ) {
        self.id = id
        self.version = version
        self.service = service
        shard = service.shard
        packetRate = service.packetRate
        self.handshake = handshake
        self.base64Only = base64Only
        self.transport = transport
        heartbeat.fire = { [unowned self] in self.heartbeatFired() }
    }

    public var isOpen: Bool { state == .open }
    var configuration: SessionConfiguration { service.configuration }

    public var transportName: String {
        switch transport {
        case .polling: "polling"
        case .webSocket: "websocket"
        }
    }

    var kind: SessionTotals.Kind {
        let isWebSocket = if case .webSocket = transport { true } else { false }
        return SessionTotals.Kind(isWebSocket: isWebSocket, isVersion4: version == .v4, isSecure: handshake.isSecure)
    }

    /// Whether a packet sent now would go out in this turn.
    public var isWritable: Bool {
        guard state == .open, outbox.isEmpty else { return false }
        switch transport {
        case .polling(let polling): return polling.isPolled
        case .webSocket(let webSocket): return !webSocket.isBlocked
        }
    }

    func start(_ handler: any EngineHandler) {
        self.handler = handler
        armHeartbeat(after: version == .v4 ? configuration.pingIntervalMilliseconds : silenceMilliseconds)
        var open: [UInt8] = []
        EngineHandshake(
            sid: id.description, offersWebSocket: offersUpgrade,
            pingIntervalMilliseconds: configuration.pingIntervalMilliseconds,
            pingTimeoutMilliseconds: configuration.pingTimeoutMilliseconds, maxPayload: configuration.maxPayloadBytes
        ).append(version: version, to: &open)
        enqueue(.open, open)
        handler.opened(self)
        flushSoon()
    }

    private var offersUpgrade: Bool {
        if case .polling = transport { return configuration.allowsWebSocket }
        return false
    }

    /// The client has come into a namespace: the session no longer counts as pending.
    func settle() {
        guard isPending, state != .closed else { return }
        isPending = false
        service.totals.pending -= 1
        service.census.settle(shard.server.countedAddress(of: handshake.peer))
    }

    /// The application needs no more of the request with which the session began, such as the token in it.
    public func forgetRequest() {
        handshake.forgetRequest()
    }

    // MARK: Out

    /// Queues a message; it goes out at the end of this turn, or when the client is ready for it.
    ///
    /// Answers false when the session has ended. More than `outboundBytesMax` waiting for a client ends it.
    @discardableResult
    public func send(_ bytes: [UInt8], isBinary: Bool = false) -> Bool {
        guard state == .open else { return false }
        return queue(.message, bytes, isBinary: isBinary)
    }

    /// Answers false when the client reads so slowly that this was too much: the session has ended.
    @discardableResult
    private func queue(_ type: EnginePacketType, _ bytes: [UInt8], isBinary: Bool = false) -> Bool {
        enqueue(type, bytes, isBinary: isBinary)
        guard outbox.byteCount <= configuration.outboundBytesMax, outbox.count <= configuration.outboundPacketsMax
        else {
            close(.slowReader)
            return false
        }
        flushSoon()
        return true
    }

    /// Whether frames that were encoded before can be written now: over a WebSocket that is not blocked and has been
    /// sent all that waited. Sends what waits, which can make the handler hear of `drained`.
    public func makeReadyForFrames() -> Bool {
        guard case .webSocket(let webSocket) = transport, state == .open else { return false }
        if !outbox.isEmpty { webSocket.flushNow() }
        return outbox.isEmpty && !webSocket.isBlocked
    }

    /// Writes whole text frames at once; to be called at the end of a turn, right after `makeReadyForFrames` said yes.
    /// They are accepted whole.
    public func writeFrames(_ pieces: Span<UnsafeRawBufferPointer>) -> SendResult {
        guard case .webSocket(let webSocket) = transport, state == .open else { return .closed }
        precondition(outbox.isEmpty, "frames may not overtake packets")
        return webSocket.writeFrames(pieces)
    }

    func drained() {
        guard state == .open else { return }
        handler?.drained(self)
    }

    func announceClose(inMilliseconds milliseconds: Int) {
        guard state == .open else { return }
        handler?.draining(self, closesInMilliseconds: milliseconds)
    }

    private func enqueue(_ type: EnginePacketType, _ bytes: [UInt8] = [], isBinary: Bool = false) {
        outbox.append(Outbox.Packet(type: type, isBinary: isBinary, bytes: bytes))
    }

    private func flushSoon() {
        switch transport {
        case .polling(let polling): polling.wantFlush()
        case .webSocket(let webSocket): webSocket.wantFlush()
        }
    }

    // MARK: In

    /// So many bytes count as much as a packet.
    private static let chargedBytes = 4 << 10

    /// Takes one packet from the transport in use.
    func received(_ type: EnginePacketType, _ data: Span<UInt8>, isBinary: Bool) {
        // A large one takes its time, however few bytes it was when it came compressed.
        guard state == .open, charge(1 + data.count / Self.chargedBytes) else { return }
        switch type {
        case .message:
            handler?.received(data, isBinary: isBinary, on: self)
        case .ping where version == .v3:
            var echo: [UInt8] = []
            for index in data.indices.prefix(64) { echo.append(data[index]) }
            armHeartbeat(after: silenceMilliseconds)
            queue(.pong, echo)
        case .pong where version == .v4:
            guard awaitsPong else { return }
            awaitsPong = false
            armHeartbeat(after: configuration.pingIntervalMilliseconds)
        case .close: end(.transportClose)
        case .noop: break
        case .open, .ping, .pong, .upgrade: end(.transportError)
        }
    }

    /// Counts what the client makes us do, in packets. Answers false when that was too much: the session has ended.
    func charge(_ count: Int) -> Bool {
        if packets.take(packetRate, count, nowMilliseconds: shard.now) == 0 { return true }
        end(.tooManyPackets)
        return false
    }

    // MARK: Heartbeat

    /// How long a version 3 client, which is the one to ping, may be silent.
    private var silenceMilliseconds: Int {
        configuration.pingIntervalMilliseconds + configuration.pingTimeoutMilliseconds
    }

    private func armHeartbeat(after milliseconds: Int) {
        heartbeatDue = shard.now + Int64(milliseconds)
        shard.arm(heartbeat, in: milliseconds)
    }

    /// What was due has not come. Tests call it in place of the timer: see `DisconnectReasonTests`.
    func heartbeatFired() {
        if state == .farewell { return farewellOver() }
        if version == .v3 || awaitsPong { return end(.pingTimeout) }
        awaitsPong = true
        enqueue(.ping)
        // The time-out counts from when the ping was due: the timers' grain adds up to nothing.
        let late = shard.now - heartbeatDue
        armHeartbeat(after: max(configuration.pingTimeoutMilliseconds - Int(late), 1))
        flushSoon()
    }

    /// Ends a session whose time is over although its timer has not fired yet, before a request is let in.
    func expireIfDue() {
        if heartbeatDue <= shard.now, version == .v3 || awaitsPong { end(.pingTimeout) }
    }

    // MARK: Upgrade

    /// Takes a WebSocket to try. It is closed when another is being tried, or the session has one.
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

    /// Takes a packet from a WebSocket that is being tried.
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
        // What a POST is still bringing is older than what follows on the WebSocket. A session that ends hears neither.
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

    /// Where a request of the polling transport belongs: after an upgrade only a POST that the upgrade has overtaken
    /// belongs anywhere.
    func polling(for method: HTTPMethod) -> PollingTransport? {
        switch transport {
        case .polling(let polling): polling
        case .webSocket(let webSocket): method == .post ? takeLateBody(before: webSocket) : nil
        }
    }

    private func takeLateBody(before webSocket: WebSocketTransport) -> PollingTransport? {
        guard let tail = pollingTail, shard.now < tail.until, state == .open else { return nil }
        cancelTransitionTimer()
        // What comes over the WebSocket while the POST is read is newer than the POST.
        webSocket.holdBack()
        return tail.polling
    }

    /// Whether a message over the WebSocket waits for a POST that it has overtaken: it makes no sense before that.
    func waitsForLatePost(before message: Span<UInt8>) -> Bool {
        guard let tail = pollingTail, shard.now < tail.until, handler?.canTake(message) == false else { return false }
        let timer = LoopTimer { [unowned self] in
            self.pollingTail = nil
            self.releaseHeldBack()
        }
        transitionTimer = timer
        // A pong waits among the messages, and has to be taken in time.
        shard.arm(timer, in: min(Int(tail.until - shard.now), configuration.pingTimeoutMilliseconds / 2))
        return true
    }

    /// A message over the WebSocket is about to be handed on: an older one can no longer be taken.
    func forgetPollingTail() {
        pollingTail = nil
    }

    private func releaseHeldBack() {
        cancelTransitionTimer()
        guard case .webSocket(let webSocket) = transport, webSocket.isHoldingBack else { return }
        webSocket.pass(watching: pollingTail != nil)
    }

    /// The packets of a POST have all been taken.
    func postEnded() {
        guard state == .open else { return }
        finishHeldBackUpgrade()
        releaseHeldBack()
    }

    /// Whether the client has upgraded and only a POST that is under way keeps us from doing the same.
    private var isUpgradeHeldBack: Bool { candidate?.isHoldingBack == true }

    private func finishHeldBackUpgrade() {
        if let candidate, candidate.isHoldingBack { upgrade(to: candidate) }
    }

    private func upgradeTimedOut() {
        // A client that has upgraded does not go back to polling.
        guard !isUpgradeHeldBack else { return end(.transportError) }
        dropCandidate()
    }

    /// Polling goes on as if nothing had been tried.
    func dropCandidate() {
        cancelTransitionTimer()
        let dropped = candidate
        candidate = nil
        isUpgrading = false
        dropped?.close()
    }

    /// Whether a poll that has nothing to carry is to be answered all the same.
    var releasesPolls: Bool { isUpgrading }

    // MARK: The end

    /// Ends the session: what waits is still sent, then the client is told.
    public func close(_ reason: DisconnectReason = .forcedServerClose) {
        end(reason)
    }

    func end(_ reason: DisconnectReason) {
        guard state == .open else { return }
        state = .closed
        endReason = reason
        service.totals.countEnd(reason)
        shard.cancel(heartbeat)
        // A client that has stopped polling for an upgrade hears of the end on its new transport: see `upgrade`.
        if !reason.isOurs || !(isUpgrading || isUpgradeHeldBack) { dropCandidate() }
        if reason.isOurs {
            beginFarewell()
        } else {
            abandonTransport()
        }
        if state == .closed { forget() }
        let handler = handler
        self.handler = nil
        handler?.closed(self, reason)
    }

    /// Sends what waits and the end. What cannot go out at once has a little time to do so.
    private func beginFarewell() {
        state = .farewell
        finishHeldBackUpgrade()
        switch transport {
        case .polling(let polling):
            // The packet "close" is for good to clients like python-socketio. When another server is to follow they get
            // what waits, and hear from their next request that this session is over.
            enqueue(endReason == .serverShuttingDown ? .noop : .close)
            polling.flush()
        case .webSocket(let webSocket):
            webSocket.flushNow()
            if outbox.isEmpty || webSocket.isGone { farewellOver() }
        }
        if state == .farewell { shard.arm(heartbeat, in: configuration.farewellMilliseconds) }
    }

    /// What waited has gone into the WebSocket, whose owner is still at it: it can be closed in the next turn.
    func farewellSaid() {
        shard.arm(heartbeat, in: 0)
    }

    private func farewellOver() {
        if case .webSocket(let webSocket) = transport { webSocket.finish(endReason) }
        forget()
    }

    private func abandonTransport() {
        switch transport {
        case .polling(let polling):
            // A client that closes is answered with nothing to do, one that broke the rules is told that it is over.
            polling.release(endReason == .transportClose ? .noop : .close)
        case .webSocket(let webSocket): webSocket.finish(endReason)
        }
    }

    /// The WebSocket in use is gone.
    func transportClosed(_ reason: DisconnectReason) {
        if state == .farewell {
            forget()
        } else {
            end(reason)
        }
    }

    /// The client has had the last of it, or did not come for it.
    func forget() {
        state = .closed
        shard.cancel(heartbeat)
        dropCandidate()
        outbox.removeAll()
        switch transport {
        case .polling(let polling): polling.session = nil
        case .webSocket(let webSocket): webSocket.session = nil
        }
        pollingTail?.polling.session = nil
        pollingTail = nil
        service.forget(self)
    }
}
