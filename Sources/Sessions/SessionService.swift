import Transport
import Wire

/// Answers the requests of one shard: Engine.IO below its path, everything else by the application.
public final class SessionService: HTTPService {
    public typealias MakeHandler = (EngineSession) -> any EngineHandler

    public let configuration: SessionConfiguration
    public unowned let shard: Shard
    /// Answers what is not Engine.IO.
    public var fallback: (HTTPExchange) -> Void = { $0.respond(404, text: "Not found\n") }
    /// New sessions are refused once this is set.
    public private(set) var isDraining = false

    private let makeHandler: MakeHandler
    private var sessions: [SessionID: EngineSession] = [:]

    public init(shard: Shard, configuration: SessionConfiguration, makeHandler: @escaping MakeHandler) {
        precondition(configuration.path.hasPrefix("/") && configuration.path.hasSuffix("/"))
        precondition(shard.mailboxes.count <= 256, "a session id has a byte for its shard")
        self.shard = shard
        self.configuration = configuration
        self.makeHandler = makeHandler
    }

    public var sessionCount: Int { sessions.count }

    /// New sessions are refused from now on; those there are go on.
    public func drain() {
        isDraining = true
    }

    /// Ends all sessions with a reason that clients are told.
    public func closeAll(_ reason: DisconnectReason) {
        for session in sessions.values { session.close(reason) }
    }

    public func shardStopping() {
        closeAll(.serverShuttingDown)
    }

    func forget(_ session: EngineSession) {
        sessions[session.id] = nil
    }

    // MARK: Requests

    public func handle(_ exchange: HTTPExchange) {
        guard isEngine(exchange.head.path) else { return fallback(exchange) }
        let origin = exchange.head.headers.first(named: "Origin")
        let isAllowed = configuration.origins.allows(origin, host: exchange.head.authority)
        if let origin, isAllowed { exchange.allow(origin: origin) }
        guard exchange.head.method != .options else { return answerPreflight(exchange, isAllowed) }
        guard isAllowed else { return EngineFault.forbidden.answer(exchange) }
        guard let version = requestedVersion(exchange) else { return EngineFault.unsupportedVersion.answer(exchange) }
        switch exchange.head.queryValue("transport") {
        case "polling" where configuration.allowsPolling: handlePolling(exchange, version)
        case "websocket" where configuration.allowsWebSocket: handleWebSocket(exchange, version)
        default: EngineFault.unknownTransport.answer(exchange)
        }
    }

    private func isEngine(_ path: String) -> Bool {
        path == configuration.path || path == configuration.path.dropLast()
    }

    private func answerPreflight(_ exchange: HTTPExchange, _ isAllowed: Bool) {
        guard isAllowed else { return EngineFault.forbidden.answer(exchange) }
        exchange.respond(
            204,
            [
                ("Access-Control-Allow-Methods", "GET, POST"),
                ("Access-Control-Allow-Headers", "Authorization, Content-Type"),
                ("Access-Control-Max-Age", "600"),
            ])
    }

    private func requestedVersion(_ exchange: HTTPExchange) -> EngineVersion? {
        switch exchange.head.queryValue("EIO") {
        case "4": .v4
        case "3" where configuration.allowsVersion3: .v3
        default: nil
        }
    }

    /// The session that a request names, after it has answered for the ways in which it cannot be had.
    private func session(of exchange: HTTPExchange, _ sid: String, _ version: EngineVersion) -> EngineSession? {
        guard let id = SessionID(sid), shard.mailboxes.indices.contains(id.shard) else {
            EngineFault.unknownSession.answer(exchange)
            return nil
        }
        guard id.shard == shard.index else {
            exchange.move(to: id.shard)
            return nil
        }
        sessions[id]?.expireIfDue()
        guard let session = sessions[id] else {
            EngineFault.unknownSession.answer(exchange)
            return nil
        }
        guard session.version == version else {
            EngineFault.badRequest.answer(exchange)
            return nil
        }
        return session
    }

    // MARK: Polling

    private func handlePolling(_ exchange: HTTPExchange, _ version: EngineVersion) {
        guard let sid = exchange.head.queryValue("sid") else { return openPolling(exchange, version) }
        guard let session = session(of: exchange, sid, version) else { return }
        guard case .polling(let polling) = session.transport else { return EngineFault.badRequest.answer(exchange) }
        switch exchange.head.method {
        case .get: polling.get(exchange)
        case .post: polling.post(exchange)
        default: EngineFault.badRequest.answer(exchange)
        }
    }

    private func openPolling(_ exchange: HTTPExchange, _ version: EngineVersion) {
        guard exchange.head.method == .get else { return EngineFault.badHandshakeMethod.answer(exchange) }
        guard !isDraining else { return EngineFault.draining.answer(exchange) }
        let polling = PollingTransport()
        let session = open(exchange, version, .polling(polling))
        polling.session = session
        start(session)
        polling.get(exchange)
    }

    private func open(
        _ exchange: HTTPExchange, _ version: EngineVersion, _ transport: EngineSession.Transport
    ) -> EngineSession {
        let base64 = exchange.head.queryValue("b64")
        let session = EngineSession(
            id: SessionID(shard: shard.index), version: version, service: self, handshake: HandshakeInfo(exchange),
            base64Only: base64 != nil && base64 != "0", transport: transport)
        sessions[session.id] = session
        return session
    }

    private func start(_ session: EngineSession) {
        session.start(makeHandler(session))
    }

    // MARK: WebSocket

    private func handleWebSocket(_ exchange: HTTPExchange, _ version: EngineVersion) {
        switch exchange.head.webSocketUpgrade {
        case .notUpgrade: EngineFault.badRequest.answer(exchange)
        case .bad(let status, let reason):
            exchange.respond(status, status == 426 ? [("Sec-WebSocket-Version", "13")] : [], text: reason + "\n")
        case .upgrade(let offer):
            guard let sid = exchange.head.queryValue("sid") else { return openWebSocket(exchange, version, offer) }
            guard let session = session(of: exchange, sid, version) else { return }
            let transport = WebSocketTransport(session, version: version)
            guard upgrade(exchange, offer, to: transport) else { return }
            session.consider(transport)
        }
    }

    private func openWebSocket(
        _ exchange: HTTPExchange, _ version: EngineVersion, _ offer: HTTPRequestHead.WebSocketOffer
    ) {
        guard !isDraining else { return EngineFault.draining.answer(exchange) }
        let transport = WebSocketTransport(nil, version: version)
        guard upgrade(exchange, offer, to: transport) else { return }
        let session = open(exchange, version, .webSocket(transport))
        transport.session = session
        start(session)
    }

    private func upgrade(
        _ exchange: HTTPExchange, _ offer: HTTPRequestHead.WebSocketOffer, to transport: WebSocketTransport
    ) -> Bool {
        let deflate = configuration.compresses ? PerMessageDeflate.negotiate(offers: offer.extensions) : nil
        guard
            let webSocket = exchange.upgrade(
                offer, deflate: deflate, compressingFrom: configuration.compressionBytesMin, handler: transport)
        else { return false }
        transport.attach(webSocket)
        return true
    }
}

extension HTTPExchange {
    /// Lets pages of this origin read the response.
    func allow(origin: String) {
        commonHeaders = [
            ("Access-Control-Allow-Origin", origin), ("Access-Control-Allow-Credentials", "true"), ("Vary", "Origin"),
        ]
    }
}
