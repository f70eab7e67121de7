import Wire

/// Gets the events of a session. All calls come on the loop's thread.
public protocol ClientSessionHandler: AnyObject {
    func sessionConnected(_ session: ClientSession, isRecovered: Bool)
    func sessionDisconnected(_ session: ClientSession, reason: String, retryInMilliseconds: Int64)
    /// The end: it does not come back.
    func sessionClosed(_ session: ClientSession, _ error: ClientError)
    /// An event; `arguments` and the other ranges point into `text`.
    func session(_ session: ClientSession, received event: IncomingEvent, in text: Span<UInt8>)
    /// A binary tick.
    func session(_ session: ClientSession, moved batch: TouchBatch)
    /// A room that the session was in does not take it back.
    func session(_ session: ClientSession, lostRoom roomID: String, _ error: ClientError)
    /// The session needs the next token: call `provide`, now or later. Only sessions whose token is `.asked` call this.
    func sessionNeedsToken(_ session: ClientSession)
}

/// A participant's connection to a server, over any number of connections lost: the layer below `RoomsClient`, for
/// programs that carry thousands of participants on one thread.
///
/// It belongs to its loop's thread: make it anywhere, use it there.
public final class ClientSession {
    public enum Tokens {
        case none
        case fixed(String)
        /// The handler has them.
        case asked
    }

    enum State { case idle, waitingForToken, connecting, connected, waiting, closed }

    public let loop: ClientLoop
    public let configuration: ClientConfiguration
    let url: ServerURL
    private let options: ConnectionOptions
    var handler: (any ClientSessionHandler)?
    var state = State.idle
    var engine: EngineClient?
    let tokens: Tokens
    /// The token that is used, and whether the server has not seen it yet.
    var token: String?
    private var tokenIsFresh = false
    var isRefreshing = false

    // Coming back.
    private var backoff: Backoff
    private let retryTimer = ClientTimer()
    private let attemptTimer = ClientTimer()
    private var connectedAt: Int64 = 0
    private var pid: String?
    private var offset: [UInt8] = []
    var wasUnauthorized = false
    private var firstConnection: ((Result<Void, ClientError>) -> Void)?
    private let firstTimer = ClientTimer()

    // What goes on.
    var rooms = JoinedRooms()
    let joinTimer = ClientTimer()
    var answers = PendingAnswers()
    let answerTimer = ClientTimer()
    var operations: OperationQueue
    let operationTimer = ClientTimer()
    var operationsArePaused = false
    /// Touches that wait for the network or for the room's next tick, the newest of each room.
    var touches: [String: [UInt8]] = [:]
    /// What this client sees of rooms, as `view:set` says it.
    var views: [String: [UInt8]] = [:]
    /// When a room takes the next position, of rooms that have told their ticks.
    var paces: [String: TouchPace] = [:]
    let touchTimer = ClientTimer()
    private var ticks = TickAssembler()
    var scratch: [UInt8] = []

    public init(
        _ url: String, configuration: ClientConfiguration = ClientConfiguration(), tokens: Tokens = .none,
        loop: ClientLoop, handler: any ClientSessionHandler
    ) throws(ClientError) {
        self.url = try ServerURL(url)
        self.loop = loop
        self.configuration = configuration
        self.tokens = tokens
        self.handler = handler
        backoff = configuration.backoff
        operations = OperationQueue(countMax: configuration.operationsMax)
        var options = ConnectionOptions()
        options.transport = configuration.transport
        options.connectTimeoutMilliseconds = configuration.connectTimeout.wholeMilliseconds
        if self.url.isSecure {
            options.trust = configuration.trust
            if options.trust == nil { options.trust = try TLSTrust() }
        }
        self.options = options
    }

    public var isConnected: Bool { state == .connected }
    public var isClosed: Bool { state == .closed }
    /// Whether the connection is a WebSocket by now.
    public var isOnWebSocket: Bool { engine?.isUpgraded ?? false }
    /// The place in the log of the newest event that came; nil where the server does not tell it.
    public var lastOffset: String? { offset.isEmpty ? nil : String(decoding: offset, as: UTF8.self) }

    // MARK: Connecting

    /// Connects, and again whenever that fails or the connection is lost.
    ///
    /// - Parameter first: told once, of the first success; of failure when the server refuses this client, or when the
    ///   time is over. The session is closed then.
    public func connect(
        within milliseconds: Int64? = nil, _ first: @escaping (Result<Void, ClientError>) -> Void = { _ in }
    ) {
        loop.preconditionOnLoop()
        guard state == .idle else { return first(.failure(.closed)) }
        firstConnection = first
        retryTimer.fire = { [unowned self] in self.attempt() }
        attemptTimer.fire = { [unowned self] in self.interrupt(reason: "no welcome in time") }
        answerTimer.fire = { [unowned self] in self.expireAnswers() }
        joinTimer.fire = { [unowned self] in self.joinTimedOut() }
        operationTimer.fire = { [unowned self] in self.resumeOperations() }
        touchTimer.fire = { [unowned self] in self.sendTouches() }
        firstTimer.fire = { [unowned self] in self.finish(.timedOut) }
        if let milliseconds { loop.arm(firstTimer, in: milliseconds) }
        attempt()
    }

    private func attempt() {
        switch tokens {
        case .none: open()
        case .fixed(let fixed):
            token = fixed
            tokenIsFresh = true
            open()
        case .asked where token == nil:
            state = .waitingForToken
            handler?.sessionNeedsToken(self)
        case .asked: open()
        }
    }

    /// The requested token; nil when there is none now.
    public func provide(token: String?) {
        loop.preconditionOnLoop()
        if isRefreshing, state == .connected {
            isRefreshing = false
            if let token { refresh(token) }
            return
        }
        guard state == .waitingForToken else { return }
        guard let token else { return retry(ConnectionEnd("no token")) }
        self.token = token
        tokenIsFresh = true
        open()
    }

    private func open() {
        state = .connecting
        loop.arm(attemptTimer, in: configuration.connectTimeout.wholeMilliseconds)
        var options = options
        options.room = configuration.room ?? rooms.first
        let engine = EngineClient(loop, url, options, owner: self)
        self.engine = engine
        engine.open()
    }

    private func sendConnect(_ engine: EngineClient) {
        var payload: [UInt8] = []
        JSONWriter.write(into: &payload) { json in
            json.beginObject()
            if let token { json.member("token", token) }
            json.key("rooms")
            json.beginObject()
            if configuration.isRecovering { json.member("recovery", true) }
            switch configuration.touches {
            case .single: break
            case .batches: json.member("touch", "batch")
            case .binary(let decimals):
                json.member("touch", "binary")
                json.member("decimals", decimals)
            }
            if configuration.textsInEdits { json.member("text", "edits") }
            json.endObject()
            if configuration.isRecovering, let pid {
                json.member("pid", pid)
                if !offset.isEmpty { json.member("offset", String(decoding: offset, as: UTF8.self)) }
            }
            json.endObject()
        }
        engine.send { SocketPacketWriter.appendConnect(payload: payload.span, version: .v5, to: &$0) }
    }

    private func connected(_ text: Span<UInt8>, _ range: Range<Int>) {
        guard state == .connecting else { return }
        let fields = try? JSON.fields(Self.connectedKeys, of: text, range: range)
        let given = fields?[0].string(in: text)
        let isRecovered = given != nil && given == pid
        pid = given
        if !isRecovered { offset = [] }
        state = .connected
        connectedAt = loop.now
        tokenIsFresh = false
        wasUnauthorized = false
        isRefreshing = false
        loop.cancel(attemptTimer)
        loop.cancel(firstTimer)
        rooms.reconnected(isRecovered: isRecovered)
        if isRecovered { sendViews() }
        let first = firstConnection.take()
        first?(.success(()))
        handler?.sessionConnected(self, isRecovered: isRecovered)
        sendNextJoin()
        sendOperations()
    }

    private static let connectedKeys = JSONKeys("pid")
    private static let refusedKeys = JSONKeys("message", "data")
    private static let refusedDataKeys = JSONKeys("code")

    /// Reasons that go away by themselves.
    private static let passingCodes = ["TOKEN_NOT_YET_VALID", "KEYS_UNAVAILABLE", "SHUTTING_DOWN", "RATE_LIMITED"]

    private func notAdmitted(_ text: Span<UInt8>, _ range: Range<Int>) {
        let fields = try? JSON.fields(Self.refusedKeys, of: text, range: range)
        let message = fields?[0].string(in: text) ?? "the server refused the connection"
        let data = fields.flatMap { fields in
            fields[1].kind == .object ? try? JSON.fields(Self.refusedDataKeys, of: text, range: fields[1].range) : nil
        }
        let code = data?[0].string(in: text) ?? ""
        let isForNow = Self.passingCodes.contains(code)
        let error = ClientError.notAdmitted(code: code, message: message)
        if isForNow { return interrupt(reason: message) }
        // One that has been in use may have run out; a new one that is refused will not get better.
        guard case .asked = tokens, !tokenIsFresh else { return finish(error) }
        token = nil
        interrupt(reason: message)
    }

    // MARK: Losing the connection, and coming back

    /// Drops the connection, like a failing network, and connects again. It is for tests, and for applications that
    /// notice a change of the network before the heartbeat does.
    ///
    /// - Parameter isCut: whether the last sent bytes may be lost with it.
    public func interrupt(reason: String = "interrupted", isCut: Bool = false) {
        guard let engine else { return }
        engine.close(isCut: isCut, withFarewell: false)
        retry(ConnectionEnd(reason))
    }

    private func retry(_ end: ConnectionEnd) {
        let wasConnected = state == .connected
        state = .waiting
        engine = nil
        touches = [:]
        paces = [:]
        ticks = TickAssembler()
        for timer in [attemptTimer, joinTimer, answerTimer, operationTimer, touchTimer] { loop.cancel(timer) }
        operations.interrupt()
        operationsArePaused = false
        rooms.disconnected()
        for done in answers.takeAll() { done(.failure(.connectionLost)) }
        guard state == .waiting else { return }
        if wasConnected, loop.now - connectedAt > 10_000 { backoff.reset() }
        var wait = backoff.next()
        if let told = end.retryAfterMilliseconds { wait = max(wait, told + Int64.random(in: 0...1_000)) }
        loop.arm(retryTimer, in: wait)
        handler?.sessionDisconnected(self, reason: end.reason, retryInMilliseconds: wait)
    }

    /// The server has sent the client away. What it may come back to is gone.
    private func sentAway() {
        pid = nil
        if case .asked = tokens {
            if wasUnauthorized { token = nil }
        } else if wasUnauthorized {
            return finish(.notAdmitted(code: "UNAUTHORIZED", message: "The token has run out."))
        }
        interrupt(reason: "the server disconnected the client")
    }

    /// Leaves all rooms and ends. What waits is not sent any more.
    public func close() {
        loop.preconditionOnLoop()
        if state == .connected { engine?.send { SocketPacketWriter.appendDisconnect(to: &$0) } }
        handler = nil
        finish(.closed)
    }

    /// Ends as a process does that is killed: others see a lost connection.
    public func abandon() {
        engine?.close(isCut: true, withFarewell: false)
        handler = nil
        finish(.closed)
    }

    private func finish(_ error: ClientError) {
        guard state != .closed else { return }
        state = .closed
        engine?.close()
        engine = nil
        for timer in [retryTimer, attemptTimer, joinTimer, answerTimer, operationTimer, firstTimer, touchTimer] {
            loop.cancel(timer)
            timer.fire = nil
        }
        let handler = handler.take()
        let first = firstConnection.take()
        first?(.failure(error))
        for done in answers.takeAll() { done(.failure(error)) }
        operations.fail(error)
        rooms.fail(error)
        handler?.sessionClosed(self, error)
    }

    /// Stops or continues reading, to act as a slow reader.
    public func setReading(_ isReading: Bool) { engine?.setReading(isReading) }
}

// MARK: - What comes

extension ClientSession: EngineClientOwner {
    func engineOpened(_ engine: EngineClient) {
        if engine === self.engine { sendConnect(engine) }
    }

    func engineReceived(_ message: Span<UInt8>, isBinary: Bool, _ engine: EngineClient) {
        guard engine === self.engine else { return }
        if isBinary { return receivedAttachment(message) }
        guard let head = try? SocketPacketHead.decode(message) else {
            return interrupt(reason: "what the server sent is no packet")
        }
        switch head.type {
        case .event: received(IncomingEvent(head, message), message)
        case .ack:
            guard let id = head.ackID, let done = answers.take(id) else { return }
            done(EventArguments.answer(message, head.arguments))
        case .connect: connected(message, head.payload)
        case .connectError: notAdmitted(message, head.payload)
        case .disconnect: sentAway()
        case .binaryEvent: ticks.begin(head, message)
        case .binaryAck: break
        }
    }

    private func receivedAttachment(_ bytes: Span<UInt8>) {
        guard state == .connected else { return }
        do throws(TickFault) {
            guard let (batch, interval) = try ticks.take(bytes) else { return }
            paces[batch.roomID, default: TouchPace()].ticked(at: loop.now, interval: Int64(interval))
            handler?.session(self, moved: batch)
        } catch {
            interrupt(reason: "what the server sent is no tick")
        }
    }

    private func received(_ event: IncomingEvent, _ text: Span<UInt8>) {
        guard state == .connected else { return }
        if let range = event.offset {
            offset.removeAll(keepingCapacity: true)
            text.extracting(range).withUnsafeBufferPointer { offset.append(contentsOf: $0) }
        }
        switch event.kind {
        case .roomJoined: joined(event, text)
        case .roomClosed:
            if let roomID = EventArguments.roomID(text, event.arguments) { forget(roomID) }
        case .tokenExpiring: askForRefresh()
        case .error: if isRefusedJoin(event, text) { return }
        default: break
        }
        handler?.session(self, received: event, in: text)
    }

    func engineDrained(_ engine: EngineClient) {
        if engine === self.engine { sendTouches() }
    }

    func engineEnded(_ end: ConnectionEnd, _ engine: EngineClient) {
        if engine === self.engine { retry(end) }
    }
}
