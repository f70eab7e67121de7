import Transport
import Wire

/// One client's Engine.IO session, over its current transport.
///
/// It lives on one shard and is used only there. Connections with requests for it move to that shard.
public final class EngineSession {
    enum Transport {
        case polling(PollingTransport)
        case webSocket(WebSocketTransport)
    }

    enum State {
        case open
        /// The server has ended the session while the client could not be told. The client still gets the queued
        /// packets and then the end.
        case farewell
        case closed
    }

    public let id: SessionID
    public let version: EngineVersion
    public unowned let service: SessionService
    /// Stored here too, with the rate, because every message needs them and an unowned reference costs at each use.
    public let shard: Shard
    private let packetRate: Rate
    /// The request with which the session began.
    public private(set) var handshake: HandshakeInfo
    /// For the application.
    public var memory: AnyObject?
    /// Until the client has connected to a namespace.
    private(set) var isPending = true
    /// A client with several sessions, one after the other, has opened each before the next.
    public let opened = ContinuousClock.now
    /// A version 3 client that said that it cannot receive binary frames.
    let base64Only: Bool

    private(set) var state = State.open
    private var endReason = DisconnectReason.forcedServerClose
    var transport: Transport
    /// Between the upgrade and the first message over the WebSocket.
    var pollingTail: PollingTail?
    /// A WebSocket that the client is trying while polling goes on.
    var candidate: WebSocketTransport?
    /// Set between the probe and the upgrade: a poll is answered at once, so that the client can pause polling.
    var isUpgrading = false
    var outbox = Outbox()
    var handler: (any EngineHandler)?
    private var packets = Pace()

    private let heartbeat = LoopTimer()
    /// Set while a WebSocket is being tried.
    var transitionTimer: LoopTimer?
    /// When the next ping is due. While a ping is unanswered: when the session ends.
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

    /// Whether a packet sent now would be written in this turn.
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

    /// The client has connected to a namespace: the session is no longer pending.
    func settle() {
        guard isPending, state != .closed else { return }
        isPending = false
        service.totals.pending -= 1
        service.census.settle(id)
    }

    /// The application does not need the session's first request any more, such as the token in it.
    public func forgetRequest() {
        handshake.forgetRequest()
    }

    // MARK: Out

    /// Queues a message. It is sent at the end of this turn, or when the client is ready for it.
    ///
    /// Returns false when the session has ended. It ends when more than `outboundBytesMax` wait for the client.
    @discardableResult
    public func send(_ bytes: [UInt8], isBinary: Bool = false) -> Bool {
        guard state == .open else { return false }
        return queue(.message, bytes, isBinary: isBinary)
    }

    /// Returns false when the client reads so slowly that this was too much: then the session has ended.
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

    /// Whether encoded frames can be written now: over a WebSocket that is not blocked and has no queued packets. It
    /// sends queued packets first, which can call the handler's `drained`.
    public func makeReadyForFrames() -> Bool {
        guard case .webSocket(let webSocket) = transport, state == .open else { return false }
        if !outbox.isEmpty { webSocket.flushNow() }
        return outbox.isEmpty && !webSocket.isBlocked
    }

    /// Writes whole frames at once. Call it at the end of a turn, right after `makeReadyForFrames` has returned
    /// true. All frames are accepted.
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

    /// So many bytes count as one packet.
    private static let chargedBytes = 4 << 10

    /// Takes one packet from the transport in use.
    func received(_ type: EnginePacketType, _ data: Span<UInt8>, isBinary: Bool) {
        // A large message costs much work, even if it was small when it arrived compressed.
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
        case .close:
            service.expectPoll(of: self)
            end(.transportClose)
        case .noop: break
        case .open, .ping, .pong, .upgrade: end(.transportError)
        }
    }

    /// Counts work that the client causes, in packets. Returns false when it was too much: then the session has ended.
    func charge(_ count: Int) -> Bool {
        if packets.take(packetRate, count, nowMilliseconds: shard.now) == 0 { return true }
        end(.tooManyPackets)
        return false
    }

    // MARK: Heartbeat

    /// How long a version 3 client may be silent. In that version the client sends the pings.
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
        // The time-out counts from the time when the ping was due, so delays of timers do not add up.
        let late = shard.now - heartbeatDue
        armHeartbeat(after: max(configuration.pingTimeoutMilliseconds - Int(late), 1))
        flushSoon()
    }

    /// Ends a session whose time is over and whose timer has not fired yet, before a request is accepted.
    func expireIfDue() {
        if heartbeatDue <= shard.now, version == .v3 || awaitsPong { end(.pingTimeout) }
    }

    // MARK: The end

    /// Ends the session: queued packets are still sent, then the client is told.
    public func close(_ reason: DisconnectReason = .forcedServerClose) {
        end(reason)
    }

    func end(_ reason: DisconnectReason) {
        guard state == .open else { return }
        state = .closed
        endReason = reason
        service.totals.countEnd(reason)
        shard.cancel(heartbeat)
        // A client that has stopped polling for an upgrade gets the end on its new transport: see `upgrade`.
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

    /// Sends the queued packets and the end. Packets that cannot be sent at once have a little more time.
    private func beginFarewell() {
        state = .farewell
        finishHeldBackUpgrade()
        switch transport {
        case .polling(let polling):
            // Clients like python-socketio do not come back after the packet "close". When another server follows, they
            // get only the queued packets, and learn from their next request that this session is over.
            enqueue(endReason == .serverShuttingDown ? .noop : .close)
            polling.flush()
        case .webSocket(let webSocket):
            webSocket.flushNow()
            if outbox.isEmpty || webSocket.isGone { farewellOver() }
        }
        if state == .farewell { shard.arm(heartbeat, in: configuration.farewellMilliseconds) }
    }

    /// The queued packets are in the WebSocket, which is still being written. It can be closed in the next turn.
    func farewellSaid() {
        shard.arm(heartbeat, in: 0)
    }

    private func farewellOver() {
        state = .closed
        if case .webSocket(let webSocket) = transport { webSocket.finish(endReason) }
        forget()
    }

    private func abandonTransport() {
        switch transport {
        case .polling(let polling):
            // A client that closes gets a noop. One that broke the rules gets the end.
            polling.release(endReason == .transportClose ? .noop : .close)
        case .webSocket(let webSocket): webSocket.finish(endReason)
        }
    }

    /// The WebSocket in use has closed.
    func transportClosed(_ reason: DisconnectReason) {
        if state == .farewell {
            forget()
        } else {
            end(reason)
        }
    }

    /// The client has got the last packets, or did not fetch them.
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
