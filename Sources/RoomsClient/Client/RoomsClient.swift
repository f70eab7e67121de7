import Wire

/// A participant.
///
///     let client = try RoomsClient("wss://rooms.example.org", token: "ada")
///     try await client.connect()
///     let room = try await client.join("lobby")
///     print(room.participants.keys, room.elements.count)
///
///     let note = try await client.create(
///         NewElement(.note, x: 140, y: 80, width: 200, height: 100, content: "Hello"), in: "lobby")
///     await client.move(in: "lobby", to: Touch(x: 0.25, y: 0.5))
///
///     for await event in client.events() { … }
///
/// A lost connection comes back by itself: touches are forgotten meanwhile, changes of elements wait, and the rooms go on
/// where they were (`RoomsEvent.connected`). A client that is not referred to any more closes itself.
///
/// It runs on the thread of its loop, which it shares with any number of others.
public actor RoomsClient {
    /// Gives the token for the next connection, and the next one before that runs out.
    public typealias TokenSource = @Sendable () async throws -> String

    public nonisolated let loop: ClientLoop
    private nonisolated let readers: EventReaders
    private nonisolated let bound: LoopBound<ClientCore>
    private nonisolated let tokens: TokenSource?
    private var core: ClientCore { bound.value }

    public nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }

    /// - Parameters:
    ///   - url: `http`, `https`, `ws` or `wss`, the host, and the path if it is not `/socket.io/`.
    ///   - tokens: asked before the first connection, when a token is about to run out, and after one was refused.
    public init(
        _ url: String, configuration: ClientConfiguration = ClientConfiguration(), tokens: TokenSource? = nil,
        loop: ClientLoop = .shared
    ) throws(ClientError) {
        self.loop = loop
        self.tokens = tokens
        readers = EventReaders()
        bound = LoopBound(value: try ClientCore(url, configuration, hasTokens: tokens != nil, loop, readers))
    }

    public init(_ url: String, token: String, loop: ClientLoop = .shared) throws(ClientError) {
        var configuration = ClientConfiguration()
        configuration.token = token
        try self.init(url, configuration: configuration, loop: loop)
    }

    deinit {
        let bound = bound
        loop.post { bound.value.close() }
    }

    // MARK: The connection

    /// Connects, trying again as long as the time lasts. Throws when the server refuses this client or the time is over;
    /// the client is closed then.
    public func connect(within timeout: Duration = .seconds(30)) async throws(ClientError) {
        if tokens != nil {
            core.fetchToken = { [weak self] in
                Task { await self?.provideToken() }
            }
        }
        try await perform { core, done in
            guard let session = core.session else { return done(.failure(.closed)) }
            session.connect(within: timeout.wholeMilliseconds, done)
        }
    }

    private func provideToken() async {
        let token = try? await tokens?()
        core.session?.provide(token: token)
    }

    /// Leaves all rooms and closes the client for good.
    public func close() {
        core.close()
    }

    public var isConnected: Bool { core.session?.isConnected ?? false }

    /// Whether events are sent over a WebSocket now.
    public var isOnWebSocket: Bool { core.session?.isOnWebSocket ?? false }

    /// Drops the connection and connects again. Call it when the network has changed, before the heartbeat notices.
    public func reconnect() {
        core.session?.interrupt(reason: "asked to reconnect")
    }

    /// All events from now on.
    ///
    /// - Parameter capacity: how many may wait to be read.
    public nonisolated func events(capacity: Int = 1_024) -> RoomsEvents {
        RoomsEvents(buffer: readers.add(capacity: capacity))
    }

    // MARK: Rooms

    /// Joins a room; after a lost connection the client joins it again by itself.
    @discardableResult
    public func join(_ roomID: String) async throws(ClientError) -> RoomState {
        try await perform { core, done in
            guard let session = core.session else { return done(.failure(.closed)) }
            session.join(roomID, done)
        }
        guard let room = core.model.rooms[roomID] else { throw .connectionLost }
        return room
    }

    public func leave(_ roomID: String) async throws(ClientError) {
        try await perform { core, done in
            guard let session = core.session else { return done(.failure(.closed)) }
            core.leftRoom(roomID)
            session.leave(roomID, done)
        }
    }

    /// A room as it is now; nil where it has not been joined.
    public func room(_ roomID: String) -> RoomState? { core.model.rooms[roomID] }

    // MARK: Touches

    /// Moves this client's touch. Without a connection that is forgotten.
    public func move(in roomID: String, to touch: Touch) {
        core.session?.move(in: roomID, to: touch)
    }

    public func endTouch(in roomID: String) {
        core.session?.endTouch(in: roomID)
    }

    /// Asks for the touches within a part of a room only, now and after each lost connection; nil for all of them.
    public func setView(_ view: RoomView?, in roomID: String) {
        core.session?.setView(view, in: roomID)
    }

    // MARK: Elements

    /// Creates an element. Without a connection it waits for one; sent twice, it is created once.
    @discardableResult
    public func create(_ element: NewElement, in roomID: String) async throws(ClientError) -> Element {
        try await answer { core, done in
            guard let session = core.session else { return done(.failure(.closed)) }
            session.create(element, in: roomID, done)
        }
    }

    /// Changes an element. Values that are not given stay.
    ///
    /// - Parameters:
    ///   - version: the change applies only to this version of the element; otherwise it is refused with `CONFLICT`.
    ///   - baseVersion: the version whose content was changed: the server merges the content with what others have
    ///     written since.
    @discardableResult
    public func update(
        _ elementID: String, in roomID: String, _ change: ElementChange, ifVersion version: Int? = nil,
        baseVersion: Int? = nil
    ) async throws(ClientError) -> Element {
        try await answer { core, done in
            guard let session = core.session else { return done(.failure(.closed)) }
            session.update(elementID, change, in: roomID, ifVersion: version, baseVersion: baseVersion, done)
        }
    }

    /// Deletes an element.
    ///
    /// - Parameter version: only this version of the element is deleted: an element that others have changed since is
    ///   refused with `CONFLICT`.
    public func delete(
        _ elementID: String, in roomID: String, ifVersion version: Int? = nil
    ) async throws(ClientError) {
        try await perform { core, done in
            guard let session = core.session else { return done(.failure(.closed)) }
            session.delete(elementID, in: roomID, ifVersion: version, done)
        }
    }

    /// Changes an element's text. The server merges it with what others have written since that version. `TextWriter` keeps
    /// such a text: it gives the edits to send, and takes those of the others.
    ///
    /// - Parameter clientID: this client's own id for the edit, by which `RoomsEvent.textEdited` names it; another one for each.
    @discardableResult
    public func edit(
        _ elementID: String, in roomID: String, _ changes: TextEdit, version: Int, clientID: String? = nil
    ) async throws(ClientError) -> Edited {
        try await answer { core, done in
            guard let session = core.session else { return done(.failure(.closed)) }
            session.edit(elementID, changes, version: version, clientID: clientID, in: roomID, done)
        }
    }

    /// Tells the others where this client's user writes; nil when the user does not write any more.
    public func setCaret(_ caret: Caret?, in roomID: String) {
        core.session?.setCaret(caret, in: roomID)
    }

    /// Changes of elements that wait for the connection or for their answers.
    public var waitingCount: Int { core.session?.operationCount ?? 0 }

    // MARK: Anything else

    /// Sends an event with one argument, JSON, and gives the answer. It is sent once or not at all.
    @discardableResult
    public func emit(_ event: String, json: [UInt8]) async throws(ClientError) -> Answer {
        guard (try? JSON.validate(json.span)) != nil else { throw .badArgument("the argument is no JSON") }
        return try await answer { core, done in
            guard let session = core.session else { return done(.failure(.closed)) }
            session.emit(event, json, done)
        }
    }

    private func perform(
        _ body: (ClientCore, @escaping (Result<Void, ClientError>) -> Void) -> Void
    ) async throws(ClientError) {
        try await answer(body)
    }

    private func answer<Value: Sendable>(
        _ body: (ClientCore, @escaping (Result<Value, ClientError>) -> Void) -> Void
    ) async throws(ClientError) -> Value {
        let result: Result<Value, ClientError> = await withCheckedContinuation { continuation in
            body(core) { continuation.resume(returning: $0) }
        }
        return try result.get()
    }
}
