import RoomsClient
import Wire

/// One simulated user.
class Bot: ClientSessionHandler {
    let name: String
    let roomID: String
    let swarm: BotSwarm
    private(set) var session: ClientSession?
    var random: BotRandom
    private var hand: Hand
    private let timer = ClientTimer()
    private var lastStep: Int64
    /// The elements that it has made and not deleted, the oldest first.
    private(set) var own: [String] = []
    /// Creations and deletions without an answer.
    private var unansweredCount = 0
    private var leader: (id: String, x: Double, y: Double)?
    private(set) var connectionCount = 0
    /// The middle of what it sees, of bots that see a part of their room.
    private var seen: (x: Double, y: Double)?
    var isStopped = false

    private static let ownMax = 8

    init(_ index: Int, _ swarm: BotSwarm) {
        let options = swarm.options
        self.swarm = swarm
        name = "\(options.prefix)-\(index)"
        roomID = options.rooms[index % options.rooms.count]
        random = BotRandom(seed: options.seed, index: index)
        lastStep = swarm.loop.now
        hand = Hand(width: options.width, height: options.height, now: swarm.loop.now, &random)
    }

    var options: BotOptions { swarm.options }
    var loop: ClientLoop { swarm.loop }
    var isThere: Bool { session?.isJoined(roomID) ?? false }

    // MARK: The session

    func start() throws(ClientError) {
        try openSession()
        timer.fire = { [unowned self] in self.step() }
        loop.arm(timer, in: random.milliseconds(1...stepMilliseconds))
    }

    func openSession() throws(ClientError) {
        var configuration = ClientConfiguration()
        configuration.touches = options.touches
        configuration.textsInEdits = options.behaviour == .write
        configuration.trust = options.trust
        configuration.room = roomID
        configuration.backoff = Backoff(firstMilliseconds: 100, maxMilliseconds: 5_000)
        configuration.transport = transport()
        let tokens = options.token(name).map { ClientSession.Tokens.fixed($0) } ?? .none
        let session = try ClientSession(
            options.url, configuration: configuration, tokens: tokens, loop: loop, handler: self)
        self.session = session
        session.connect()
        join(session)
    }

    func join(_ session: ClientSession) {
        session.join(roomID) { [weak self] result in
            if case .failure(let error) = result { self?.notJoined(error) }
        }
    }

    private func transport() -> ClientTransport {
        switch options.transport {
        case .websocket: .webSocket
        case .upgrade: .pollingThenWebSocket
        case .polling: .polling
        case .mixed: ClientTransport.allCases.randomElement(using: &random) ?? .webSocket
        }
    }

    func notJoined(_ error: ClientError) {
        if error != .closed { swarm.note(.refusal, "\(name): \(error)") }
    }

    /// Takes the session away, to end it in one way or another.
    func takeSession() -> ClientSession? { session.take() }

    func sessionConnected(_ session: ClientSession, isRecovered: Bool) {
        connectionCount += 1
        swarm.connected(isFirst: connectionCount == 1, isRecovered: isRecovered)
    }

    func sessionDisconnected(_ session: ClientSession, reason: String, retryInMilliseconds: Int64) {
        swarm.disconnected(wasConnected: connectionCount > 0, reason)
        hand.lift()
        leader = nil
    }

    func sessionClosed(_ session: ClientSession, _ error: ClientError) {
        swarm.note(.refusal, "\(name): \(error)")
        self.session = nil
    }

    func session(_ session: ClientSession, received event: IncomingEvent, in text: Span<UInt8>) {
        swarm.counters.events += 1
        if options.behaviour == .follow { look(event, text) }
    }

    func session(_ session: ClientSession, moved batch: TouchBatch) {
        swarm.counters.events += 1
        if options.behaviour == .follow { look(batch) }
    }

    func session(_ session: ClientSession, lostRoom roomID: String, _ error: ClientError) {
        swarm.note(.refusal, "\(name) has lost \(roomID): \(error)")
    }

    func sessionNeedsToken(_ session: ClientSession) {}

    func stop() {
        isStopped = true
        loop.cancel(timer)
        timer.fire = nil
        // A demonstration leaves no litter behind; bots of chaos still have to compare what is there.
        if options.behaviour == .draw { while !own.isEmpty { deleteOldest() } }
        leaveIfDone()
    }

    private func leaveIfDone() {
        guard isStopped, options.behaviour != .draw || unansweredCount == 0 else { return }
        takeSession()?.close()
    }

    /// The session sends a deletion after the answer to an earlier change of the element, so the bot must not leave before.
    private func delete(_ element: String) {
        guard let session else { return }
        swarm.counters.operations += 1
        unansweredCount += 1
        session.delete(element, in: roomID) { [weak self] in
            self?.unansweredCount -= 1
            self?.swarm.answered($0)
            self?.leaveIfDone()
        }
    }

    /// Whether it has stopped and left.
    var isGone: Bool { isStopped && session == nil }

    // MARK: Moving

    private var stepMilliseconds: Int64 { max(Int64(1_000 / options.hz), 1) }

    private func step() {
        let now = loop.now
        let seconds = Double(now - lastStep) / 1_000
        lastStep = now
        loop.arm(timer, in: stepMilliseconds)
        act(now: now, seconds: seconds)
    }

    func act(now: Int64, seconds: Double) {
        guard isThere else { return }
        switch options.behaviour {
        // Writing bots do it by themselves.
        case .idle, .write: break
        case .wander: move(hand.wander(now: now, seconds: seconds, &random))
        case .follow: move(hand.follow(leader.map { ($0.x, $0.y) }, now: now, seconds: seconds, &random))
        case .draw, .chaos: draw(now: now, seconds: seconds)
        }
    }

    func draw(now: Int64, seconds: Double) {
        let step = hand.draw(now: now, seconds: seconds, &random)
        move(step)
        if step == .lift, random.chance(0.6) { changeCanvas() }
    }

    func wander(now: Int64, seconds: Double) { move(hand.wander(now: now, seconds: seconds, &random)) }

    private func move(_ step: Hand.Step) {
        switch step {
        case .rest: break
        case .move(let x, let y):
            look(around: x, y)
            if send(Touch(x: x, y: y)) { swarm.counters.touches += 1 }
        case .lift: endTouch()
        }
    }

    /// The part that it sees follows its hand when that comes near the edge.
    private func look(around x: Double, _ y: Double) {
        guard let side = options.view, options.behaviour != .chaos else { return }
        if let seen, abs(seen.x - x) < side / 4, abs(seen.y - y) < side / 4 { return }
        seen = (x, y)
        session?.setView(RoomView(x: x - side / 2, y: y - side / 2, width: side, height: side), in: roomID)
    }

    func send(_ touch: Touch) -> Bool { session?.move(in: roomID, to: touch) ?? false }

    func endTouch() { session?.endTouch(in: roomID) }

    // MARK: Elements

    func changeCanvas() {
        let choice = Double.random(in: 0..<1, using: &random)
        if own.count >= Self.ownMax || (own.count > 2 && choice < 0.15) {
            deleteOldest()
        } else if let element = own.randomElement(using: &random), choice < 0.5 {
            update(element)
        } else {
            create()
        }
    }

    private func create() {
        let (x, y) = hand.position
        let element = NewElement(
            .note, x: x, y: y, width: Double(Int.random(in: 80...240, using: &random)),
            height: Double(Int.random(in: 40...160, using: &random)), content: phrase())
        swarm.counters.operations += 1
        guard let session else { return }
        unansweredCount += 1
        session.create(element, in: roomID) { [weak self] in self?.created($0) }
    }

    private func created(_ result: Result<Element, ClientError>) {
        unansweredCount -= 1
        swarm.answered(result.map { _ in () })
        if case .success(let element) = result {
            if isStopped { delete(element.id) } else { own.append(element.id) }
        }
        leaveIfDone()
    }

    private func update(_ element: String) {
        let change = ElementChange(
            x: Double.random(in: 0...options.width, using: &random).rounded(),
            content: random.chance(0.3) ? phrase() : nil)
        swarm.counters.operations += 1
        session?.update(element, change, in: roomID) { [weak self] in self?.swarm.answered($0.map { _ in () }) }
    }

    private func deleteOldest() {
        guard !own.isEmpty else { return }
        delete(own.removeFirst())
    }

    private static let words = [
        "tea", "blue", "maybe", "later", "why not", "here", "two of these", "\u{1F44D}", "ship it", "?",
    ]

    func phrase() -> String {
        (0..<Int.random(in: 1...4, using: &random)).compactMap { _ in Self.words.randomElement(using: &random) }
            .joined(separator: " ")
    }

    // MARK: Following

    /// Follows the participant that moved last, until its touch ends.
    private func look(_ event: IncomingEvent, _ text: Span<UInt8>) {
        switch event.kind {
        case .touchMoved:
            guard let moved = MovedTouch(text, event.arguments) else { return }
            if leader == nil || leader?.id == moved.userID { leader = (moved.userID, moved.touch.x, moved.touch.y) }
        case .touchBatch:
            if let batch = TouchBatch(text, event.arguments) { look(batch) }
        case .touchEnded: leader = nil
        default: break
        }
    }

    private func look(_ batch: TouchBatch) {
        for (slot, touch) in batch.touches where leader == nil || leader?.id == "\(slot)" {
            leader = ("\(slot)", touch.x, touch.y)
        }
    }
}
