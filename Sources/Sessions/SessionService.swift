import Transport
import Wire

/// Answers one shard's requests for Engine.IO: see `mount`.
public final class SessionService: HTTPService {
    public typealias MakeHandler = (EngineSession) -> any EngineHandler

    public let configuration: SessionConfiguration
    public unowned let shard: Shard
    /// Returns how many milliseconds a peer has to wait before it may begin a session; 0 when it may begin now.
    public var admission: (PeerAddress) -> Int = { _ in 0 }
    /// Whether new sessions are refused: the server ends, or is away.
    public var isDraining: Bool { isEnding || isAway }
    private var isEnding = false
    /// Whether the clients were sent to other servers, until this one can serve them again.
    public private(set) var isAway = false
    public internal(set) var totals = SessionTotals()

    /// How many packets a session may send.
    let packetRate: Rate
    private let makeHandler: MakeHandler
    private var sessions: [SessionID: EngineSession] = [:]
    let census: SessionCensus
    private var overtaken = OvertakenPolls()
    private var stages: SessionDrain?
    /// Nil on a server of its own.
    private(set) var far: FarPolls?

    /// - Parameters:
    ///   - census: counts and bounds the sessions of all shards that it is given to; nil for those of this one.
    ///   - nodes: get polling requests for sessions of theirs; nil on a server of its own.
    package init(
        shard: Shard, configuration: SessionConfiguration, census: SessionCensus? = nil,
        nodes: (any FarNodes)? = nil, makeHandler: @escaping MakeHandler
    ) {
        precondition(configuration.path.hasPrefix("/") && configuration.path.hasSuffix("/"))
        precondition(shard.mailboxes.count <= 256, "a session id has a byte for its shard")
        self.shard = shard
        self.configuration = configuration
        self.census = census ?? SessionCensus(configuration)
        packetRate = Rate(perSecond: configuration.packetsPerSecondMax)
        self.makeHandler = makeHandler
        far = nodes.map { FarPolls(self, $0) }
    }

    public var sessionCount: Int { sessions.count }

    /// From now on new sessions are refused. Open ones go on.
    public func drain() {
        isEnding = true
    }

    /// As `drain(over:)`, until the server can serve again.
    public func sendAway(over milliseconds: Int) {
        guard !isDraining else { return }
        isAway = true
        beginStages(over: milliseconds)
    }

    /// Takes new sessions again. Those that have not been closed yet go on, unless the server ends.
    ///
    /// - Returns: whether the server takes new sessions.
    public func takeBack() -> Bool {
        isAway = false
        guard !isEnding else { return false }
        stages?.cancel()
        stages = nil
        return true
    }

    func beginStages(over milliseconds: Int) {
        guard stages == nil else { return }
        let stages = SessionDrain(shard)
        self.stages = stages
        stages.begin(Array(sessions.values), over: milliseconds)
    }

    /// Ends all sessions with a reason that their clients get.
    public func closeAll(_ reason: DisconnectReason) {
        for session in sessions.values { session.close(reason) }
    }

    public func shardStopping() {
        closeAll(.serverShuttingDown)
        // A polling client without an open poll would get the end with its next request, which this shard will not see.
        for session in sessions.values { session.forget() }
    }

    func forget(_ session: EngineSession) {
        guard sessions.removeValue(forKey: session.id) != nil else { return }
        census.end(session.id, countedAddress(of: session.handshake.peer))
        totals.count(session.kind, -1)
        if session.isPending { totals.pending -= 1 }
    }

    private func countedAddress(of peer: PeerAddress) -> IPAddress? { shard.server.countedAddress(of: peer) }

    // MARK: Requests

    /// The paths for the router. The service counts its requests itself: those of open sessions have limits of their
    /// own.
    public var mount: Mount {
        let path = configuration.path
        return Mount(paths: path == "/" ? [path] : [path, String(path.dropLast())])
    }

    public func handle(_ exchange: HTTPExchange) {
        let origin = exchange.head.headers.first(named: "Origin")
        let isAllowed = configuration.origins.allows(exchange)
        exchange.allow(origin: isAllowed ? origin : nil)
        guard exchange.head.method != .options else { return answerPreflight(exchange, isAllowed) }
        guard isAllowed else { return refuse(exchange, .forbidden) }
        // The checks come in the order of the reference server, so that clients get the codes that they know.
        guard let transport = requestedTransport(exchange) else { return refuse(exchange, .unknownTransport) }
        if let sid = exchange.head.queryValue("sid"), !sid.isEmpty {
            proceed(exchange, transport, sid)
        } else {
            open(exchange, transport)
        }
    }

    /// Answers a request that belongs to no session, so it counts for its address.
    private func refuse(_ exchange: HTTPExchange, _ fault: EngineFault) {
        if exchange.admit() { fault.answer(exchange) }
    }

    private func answerPreflight(_ exchange: HTTPExchange, _ isAllowed: Bool) {
        guard isAllowed else { return refuse(exchange, .forbidden) }
        guard exchange.admit() else { return }
        // A page that may connect may send any header: users can configure clients to send their own.
        let asked = exchange.head.headers.all(named: "Access-Control-Request-Headers").joined(separator: ", ")
        exchange.respond(
            204,
            [
                ("Access-Control-Allow-Methods", "GET, POST"),
                ("Access-Control-Allow-Headers", asked.isEmpty ? "Authorization, Content-Type" : asked),
                ("Access-Control-Max-Age", "600"),
                ("Vary", "Access-Control-Request-Headers"),
            ])
    }

    private enum RequestedTransport {
        case polling
        case webSocket
    }

    private func requestedTransport(_ exchange: HTTPExchange) -> RequestedTransport? {
        switch exchange.head.queryValue("transport") {
        case "polling" where configuration.allowsPolling: .polling
        case "websocket" where configuration.allowsWebSocket: .webSocket
        default: nil
        }
    }

    /// - Parameter text: the query item `EIO`.
    private func version(_ text: String?) -> EngineVersion? {
        switch text {
        case "4": .v4
        case "3" where configuration.allowsVersion3: .v3
        default: nil
        }
    }

    // MARK: Sessions that there are

    private func proceed(_ exchange: HTTPExchange, _ transport: RequestedTransport, _ sid: String) {
        guard let id = SessionID(sid) else { return refuse(exchange, .unknownSession) }
        // A WebSocket cannot be passed on. A client whose upgrade fails stays on polling.
        if let far, id.node != configuration.node, transport == .polling { return far.passOn(exchange, to: id) }
        guard shard.mailboxes.indices.contains(id.shard) else { return refuse(exchange, .unknownSession) }
        guard id.shard == shard.index else { return exchange.move(to: id.shard) }
        switch session(id, version: version(exchange.head.queryValue("EIO"))) {
        case .failure(.unknownSession):
            if transport == .polling, answerOvertaken(exchange, exchange.head.method, id) { return }
            refuse(exchange, .unknownSession)
        case .failure(let fault): fault.answer(exchange)
        case .success(let session): proceed(exchange, transport, session)
        }
    }

    private func proceed(_ exchange: HTTPExchange, _ transport: RequestedTransport, _ session: EngineSession) {
        switch transport {
        case .polling: poll(session, exchange, exchange.head.method)
        case .webSocket:
            guard exchange.claimConnection() else { return EngineFault.full.answer(exchange) }
            let transport = WebSocketTransport(session, version: session.version, headers: exchange.head.headers)
            if upgrade(exchange, to: transport) { session.consider(transport) }
        }
    }

    /// Takes a polling request that another node has passed on.
    func take(_ request: FarPoll) {
        let (id, version) = (request.request.session, version(request.request.version))
        let method = request.request.isPost ? HTTPMethod.post : .get
        guard id.node == configuration.node, id.shard == shard.index else {
            return EngineFault.unknownSession.answer(request)
        }
        switch session(id, version: version) {
        case .failure(.unknownSession) where answerOvertaken(request, method, id): break
        case .failure(let fault): fault.answer(request)
        case .success(let session): poll(session, request, method)
        }
    }

    /// The client closes its session. If no poll waits, one may be on the way.
    func expectPoll(of session: EngineSession) {
        guard case .polling(let polling) = session.transport, !polling.isPolled else { return }
        overtaken.expect(
            session.id, session.version, now: shard.now, milliseconds: configuration.farewellMilliseconds)
    }

    /// Answers a poll that the close of its session has overtaken. False when it is none.
    private func answerOvertaken(_ exchange: any PollExchange, _ method: HTTPMethod, _ id: SessionID) -> Bool {
        guard method == .get, let version = overtaken.take(id, now: shard.now) else { return false }
        exchange.answer(.noop, version)
        return true
    }

    /// Another client needs the place of a session that has no accepted CONNECT. It may have come in meanwhile.
    fileprivate func displace(_ id: SessionID) {
        guard let session = sessions[id], session.isPending else { return }
        session.end(.displaced)
    }

    /// A session has lost packets.
    func end(_ id: SessionID) {
        sessions[id]?.end(.transportError)
    }

    private func poll(_ session: EngineSession, _ exchange: any PollExchange, _ method: HTTPMethod) {
        // The client of a session that has ended still has to read the reason.
        guard !session.isOpen || session.charge(1) else { return EngineFault.unknownSession.answer(exchange) }
        guard let polling = session.polling(for: method) else { return EngineFault.badRequest.answer(exchange) }
        switch method {
        case .get: polling.get(exchange)
        case .post: polling.post(exchange)
        default: EngineFault.badRequest.answer(exchange)
        }
    }

    /// The session of this shard that a request names.
    private func session(_ id: SessionID, version: EngineVersion?) -> Result<EngineSession, EngineFault> {
        sessions[id]?.expireIfDue()
        guard let session = sessions[id] else { return .failure(.unknownSession) }
        guard let version else { return .failure(.unsupportedVersion) }
        return session.version == version ? .success(session) : .failure(.badRequest)
    }

    // MARK: New sessions

    private func open(_ exchange: HTTPExchange, _ transport: RequestedTransport) {
        guard exchange.head.method == .get else { return refuse(exchange, .badHandshakeMethod) }
        if transport == .webSocket, exchange.head.webSocketUpgrade == .notUpgrade {
            return refuse(exchange, .badRequest)
        }
        guard let version = version(exchange.head.queryValue("EIO")) else {
            return refuse(exchange, .unsupportedVersion)
        }
        guard !isDraining else {
            totals.refusedWhileDraining += 1
            return EngineFault.draining.answer(exchange)
        }
        let wait = admission(exchange.peer)
        guard wait == 0 else {
            totals.refusedByRate += 1
            return EngineFault.tooMany(retryAfterMilliseconds: wait).answer(exchange)
        }
        if transport == .webSocket, !exchange.claimConnection() { return EngineFault.full.answer(exchange) }
        let id = SessionID(node: configuration.node, shard: shard.index)
        switch census.begin(id, countedAddress(of: exchange.peer)) {
        case .refused(let refusal):
            totals.countRefusal(refusal)
            return EngineFault.full.answer(exchange)
        case .taken(let displaced?): shard.mailboxes[displaced.shard].insist(Displacement(session: displaced))
        case .taken(nil): break
        }
        switch transport {
        case .polling: openPolling(exchange, version, id)
        case .webSocket: openWebSocket(exchange, version, id)
        }
    }

    private func openPolling(_ exchange: HTTPExchange, _ version: EngineVersion, _ id: SessionID) {
        let polling = PollingTransport()
        let session = makeSession(id, exchange, version, .polling(polling))
        polling.session = session
        start(session)
        polling.get(exchange)
    }

    private func openWebSocket(_ exchange: HTTPExchange, _ version: EngineVersion, _ id: SessionID) {
        let transport = WebSocketTransport(nil, version: version, headers: exchange.head.headers)
        guard upgrade(exchange, to: transport) else {
            return census.end(id, countedAddress(of: exchange.peer))
        }
        let session = makeSession(id, exchange, version, .webSocket(transport))
        transport.session = session
        start(session)
    }

    private func makeSession(
        _ id: SessionID, _ exchange: HTTPExchange, _ version: EngineVersion, _ transport: EngineSession.Transport
    ) -> EngineSession {
        let base64 = exchange.head.queryValue("b64")
        let session = EngineSession(
            id: id, version: version, service: self,
            handshake: HandshakeInfo(exchange, keeping: configuration.keptRequest),
            base64Only: base64 != nil && base64 != "0", transport: transport)
        sessions[session.id] = session
        totals.count(session.kind, 1)
        totals.opened += 1
        totals.pending += 1
        return session
    }

    private func start(_ session: EngineSession) {
        session.start(makeHandler(session))
    }

    /// Makes the connection a WebSocket, or answers why this is not possible.
    private func upgrade(_ exchange: HTTPExchange, to transport: WebSocketTransport) -> Bool {
        switch exchange.head.webSocketUpgrade {
        case .notUpgrade:
            EngineFault.badRequest.answer(exchange)
            return false
        case .bad(let status, let reason):
            exchange.respond(status, status == 426 ? [("Sec-WebSocket-Version", "13")] : [], text: reason + "\n")
            return false
        case .upgrade(let offer):
            let deflate = configuration.compresses ? PerMessageDeflate.negotiate(offers: offer.extensions) : nil
            guard
                let webSocket = exchange.upgrade(
                    offer, deflate: deflate, compressingFrom: configuration.compressionBytesMin, handler: transport)
            else { return false }
            transport.attach(webSocket)
            return true
        }
    }
}

/// Takes the place of a pending session, on the session's shard.
private struct Displacement: ShardItem {
    let session: SessionID

    func arrive(on shard: Shard) { shard.local(SessionService.self)?.displace(session) }
}

extension HTTPExchange {
    /// Lets pages of this origin read the response. Without an origin, caches are still told that it matters.
    public func allow(origin: String?) {
        commonHeaders = [("Vary", "Origin")]
        guard let origin else { return }
        commonHeaders += [("Access-Control-Allow-Origin", origin), ("Access-Control-Allow-Credentials", "true")]
    }
}
