import RoomsClient

/// A bot that keeps users company: it moves, writes a note and carries it about, and leaves when no user is left.
final class Guest: ClientSessionHandler {
    /// Unique on the server, because a name is a user there. The mark after it is not shown.
    let name: String
    /// An index of `GuestKind.all`.
    let kind: Int
    let roomID: String
    private let area: GuestArea
    private unowned let house: GuestHouse
    private var session: ClientSession?
    private var random: BotRandom
    private var hand: Hand
    private var note: GuestNote?
    private let timer = ClientTimer()
    private let cameAt: Int64
    private var lastStep: Int64
    /// The participants of the room who are not guests.
    private var people: Set<String> = []
    private var userOfSlot: [Int: String] = [:]
    private var lastCompany: Int64
    /// Whom it follows, and where that hand is.
    private var leader: (id: String, x: Double, y: Double)?
    private var hasJoined = false
    private var isLeaving = false

    var hasNote: Bool { note?.isOwn == true }

    private static let stepMilliseconds: Int64 = 33
    private static let farewellMilliseconds: Int64 = 300
    private static let farewellMaxMilliseconds: Int64 = 5_000

    init(_ kind: Int, seed: UInt64, roomID: String, _ area: GuestArea, _ house: GuestHouse) throws(ClientError) {
        self.kind = kind
        self.roomID = roomID
        self.area = area
        self.house = house
        random = BotRandom(seed: seed)
        let mark = String(Int.random(in: 0x100000...0xffffff, using: &random), radix: 16)
        name = "\(GuestKind.all[kind].name)#\(mark)"
        cameAt = house.loop.now
        (lastStep, lastCompany) = (cameAt, cameAt)
        hand = Hand(width: area.width, height: area.height, now: cameAt, &random)
        note = GuestKind.all[kind].note.map {
            GuestNote($0, of: name, writtenAfter: cameAt + 2_000, in: roomID, area)
        }
        var configuration = ClientConfiguration()
        configuration.backoff = Backoff(firstMilliseconds: 200, maxMilliseconds: 5_000)
        configuration.room = roomID
        session = try ClientSession(
            house.url, configuration: configuration, tokens: .fixed(name), loop: house.loop, handler: self)
    }

    func come() {
        session?.connect()
        session?.join(roomID) { [weak self] result in
            if case .failure = result { self?.end() }
        }
        timer.fire = { [unowned self] in self.step() }
        house.loop.arm(timer, in: Self.stepMilliseconds)
    }

    // MARK: From moment to moment

    private func step() {
        let now = house.loop.now
        let seconds = Double(now - lastStep) / 1_000
        lastStep = now
        house.loop.arm(timer, in: Self.stepMilliseconds)
        // Before its first join a guest does not know whether users are in the room.
        if !hasJoined || !people.isEmpty { lastCompany = now }
        guard now - lastCompany < house.limits.aloneMilliseconds, now - cameAt < house.limits.stayMilliseconds else {
            return leave()
        }
        guard let session, session.isJoined(roomID) else { return }
        switch nextStep(now, seconds) {
        case .rest: break
        case .lift: session.endTouch(in: roomID)
        case .move(let x, let y): touch(x + area.left, y + area.top, session, now)
        }
    }

    private func nextStep(_ now: Int64, _ seconds: Double) -> Hand.Step {
        switch GuestKind.all[kind].habit {
        case .draw: return hand.draw(now: now, seconds: seconds, &random)
        case .follow where leader != nil:
            let place = leader.map { ($0.x - area.left, $0.y - area.top) }
            return hand.follow(place, now: now, seconds: seconds, &random)
        case .wander, .follow: return hand.wander(now: now, seconds: seconds, &random)
        }
    }

    private func touch(_ x: Double, _ y: Double, _ session: ClientSession, _ now: Int64) {
        let carried = note?.carry(toX: x, y: y, now: now, session)
        _ = session.move(in: roomID, to: Touch(x: Self.tenth(x), y: Self.tenth(y), elementID: carried))
    }

    private static func tenth(_ value: Double) -> Double { (value * 10).rounded() / 10 }

    // MARK: Leaving

    /// Takes its note away and says good-bye.
    func leave() {
        guard !isLeaving else { return }
        isLeaving = true
        session?.endTouch(in: roomID)
        if let session { note?.takeAway(session) }
        let end = house.loop.now + Self.farewellMaxMilliseconds
        timer.fire = { [unowned self] in self.sayGoodBye(until: end) }
        house.loop.arm(timer, in: Self.farewellMilliseconds)
    }

    /// What it has to say goes out first.
    private func sayGoodBye(until end: Int64) {
        guard note?.isGoing == true, house.loop.now < end else { return self.end() }
        house.loop.arm(timer, in: Self.stepMilliseconds)
    }

    func end() {
        house.loop.cancel(timer)
        timer.fire = nil
        session.take()?.close()
        // Not from within the session's own turn.
        let house = house
        house.loop.atTurnEnd { house.gone(self) }
    }

    // MARK: What the session tells

    func session(_ session: ClientSession, received event: IncomingEvent, in text: Span<UInt8>) {
        switch event.kind {
        case .roomJoined:
            guard let state = RoomState(text, event.arguments) else { return }
            hasJoined = true
            people = state.participants.keys.reduce(into: []) { if isPerson($1) { $0.insert($1) } }
            userOfSlot = [:]
            for participant in state.participants.values { userOfSlot[participant.slot] = participant.id }
            leader = nil
            note?.take(state, session)
        case .userJoined:
            guard let participant = Participant(text, event.arguments) else { return }
            userOfSlot[participant.slot] = participant.id
            if isPerson(participant.id) { people.insert(participant.id) }
        case .userLeft:
            guard let id = EventArguments.user(text, event.arguments)?.userID else { return }
            people.remove(id)
            if leader?.id == id { leader = nil }
        case .touchMoved:
            guard let moved = MovedTouch(text, event.arguments) else { return }
            saw(moved.touch, of: moved.userID)
        case .touchEnded:
            if leader?.id == EventArguments.user(text, event.arguments)?.userID { leader = nil }
        case .elementCreated, .elementUpdated:
            if let note, let element = Element(text, event.arguments) { note.take(element, session) }
        case .elementDeleted:
            if let id = EventArguments.deleted(text, event.arguments)?.elementID { note?.takeDeletion(of: id) }
        default: break
        }
    }

    func session(_ session: ClientSession, moved batch: TouchBatch) {
        for (slot, touch) in batch.touches {
            if let id = userOfSlot[slot] { saw(touch, of: id) }
        }
    }

    private func saw(_ touch: Touch, of id: String) {
        guard people.contains(id), leader == nil || leader?.id == id else { return }
        leader = (id, touch.x, touch.y)
    }

    private func isPerson(_ id: String) -> Bool { id != name && !house.isGuest(id) }

    func sessionConnected(_ session: ClientSession, isRecovered: Bool) {}

    func sessionDisconnected(_ session: ClientSession, reason: String, retryInMilliseconds: Int64) {
        hand.lift()
        leader = nil
    }

    func sessionClosed(_ session: ClientSession, _ error: ClientError) { end() }

    func session(_ session: ClientSession, lostRoom roomID: String, _ error: ClientError) { end() }

    func sessionNeedsToken(_ session: ClientSession) {}
}
