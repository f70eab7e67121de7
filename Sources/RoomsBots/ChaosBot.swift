import RoomsClient
import Wire

/// A bot that draws, loses its connection in every way, stalls, comes back, and holds the server to its promises.
final class ChaosBot: Bot {
    let witness: Witness
    private var epoch = 0
    private var nextNumber = 0
    /// What it sent last of a touch that has not been ended.
    private(set) var openTouch: TouchMark?
    /// Its last position.
    private(set) var lastPosition = Touch(x: 0, y: 0)
    private let looksAround: Bool
    /// The part of the room that it wants to see; nil for everything.
    private(set) var view: RoomView?
    private var nextMischief: Int64
    private var stalledUntil: Int64?
    private var awayUntil: Int64?
    private var isLeaving = false
    /// When it asks again to join: the server could not let it in.
    private var joinsAgainAt: Int64?
    /// Set while the swarm compares all views: the bot does nothing then.
    var isCalm = false

    override init(_ index: Int, _ swarm: BotSwarm) {
        let options = swarm.options
        witness = Witness(
            bot: "\(options.prefix)-\(index)", roomID: options.rooms[index % options.rooms.count],
            ledger: swarm.ledger(options.rooms[index % options.rooms.count]))
        nextMischief = 0
        looksAround = index % Self.looksAroundEvery == 1
        super.init(index, swarm)
        nextMischief = loop.now + random.milliseconds(500...4_000)
    }

    /// One bot of so many sees parts of its room. Each of the others sees everything.
    private static let looksAroundEvery = 3

    // MARK: What comes

    override func sessionConnected(_ session: ClientSession, isRecovered: Bool) {
        super.sessionConnected(session, isRecovered: isRecovered)
        epoch += 1
        witness.epoch = epoch
        nextNumber = 0
        openTouch = nil
        if !isRecovered { witness.forget() }
    }

    override func sessionDisconnected(_ session: ClientSession, reason: String, retryInMilliseconds: Int64) {
        super.sessionDisconnected(session, reason: reason, retryInMilliseconds: retryInMilliseconds)
        connectionIsLost()
    }

    private func connectionIsLost() {
        swarm.ledger(roomID).lost(name, epoch: epoch)
        openTouch = nil
        stalledUntil = nil
    }

    override func session(_ session: ClientSession, received event: IncomingEvent, in text: Span<UInt8>) {
        super.session(session, received: event, in: text)
        // What was on its way when the bot left says nothing.
        guard !isLeaving || event.kind == .roomJoined else { return }
        if event.kind == .roomJoined { isLeaving = false }
        hold { () throws(Fault) in try witness.take(event, text) }
    }

    override func session(_ session: ClientSession, moved batch: TouchBatch) {
        super.session(session, moved: batch)
        guard !isLeaving else { return }
        hold { () throws(Fault) in try witness.take(batch) }
    }

    private func hold(_ body: () throws(Fault) -> Void) {
        do throws(Fault) {
            try body()
        } catch {
            swarm.broke(error, name, witness.recent)
        }
    }

    func checkDoubts() { hold { () throws(Fault) in try witness.checkDoubts(now: loop.now) } }

    override func notJoined(_ error: ClientError) {
        super.notJoined(error)
        // A room that was closed while the bot came in can be opened again.
        if case .refused(let refusal) = error, ["SERVER_ERROR", "NOT_FOUND"].contains(refusal.code) {
            joinsAgainAt = loop.now + Self.joinPauseMilliseconds
        }
    }

    private static let joinPauseMilliseconds: Int64 = 300

    // MARK: What it does

    override func send(_ touch: Touch) -> Bool {
        var touch = touch
        let mark = TouchMark(epoch: epoch, number: nextNumber)
        touch.elementID = mark.text
        guard super.send(touch) else { return false }
        nextNumber += 1
        openTouch = mark
        lastPosition = touch
        swarm.ledger(roomID).sent(name, mark)
        return true
    }

    override func endTouch() {
        if let openTouch { swarm.ledger(roomID).ended(name, at: openTouch) }
        openTouch = nil
        super.endTouch()
    }

    override func act(now: Int64, seconds: Double) {
        if let awayUntil {
            guard now >= awayUntil || isCalm else { return }
            self.awayUntil = nil
            try? openSession()
        }
        if let stalledUntil, now >= stalledUntil || isCalm {
            self.stalledUntil = nil
            session?.setReading(true)
        }
        if let joinsAgainAt, now >= joinsAgainAt {
            self.joinsAgainAt = nil
            if let session { join(session) }
        }
        guard !isCalm else { return }
        if isThere { draw(now: now, seconds: seconds) }
        if now >= nextMischief {
            nextMischief = now + random.milliseconds(300...4_000)
            makeMischief(now)
        }
    }

    private func makeMischief(_ now: Int64) {
        switch Int.random(in: 0..<100, using: &random) {
        case 0..<20: lose(isCut: true)
        case 20..<35: lose(isCut: false)
        case 35..<55:
            stalledUntil = now + random.milliseconds(200...2_500)
            session?.setReading(false)
        case 55..<65: for _ in 0..<Int.random(in: 5...25, using: &random) where isThere { changeCanvas() }
        case 65..<75: swarm.throwGarbage(seed: random.next())
        case 75..<85: leaveAndComeBack()
        case 85..<90: vanish(for: random.milliseconds(100...8_000))
        case 90... where looksAround: lookElsewhere()
        default: break
        }
    }

    private func lose(isCut: Bool) {
        guard session?.isConnected == true else { return }
        connectionIsLost()
        session?.interrupt(reason: "chaos", isCut: isCut)
    }

    /// As a process that is killed and started again.
    private func vanish(for milliseconds: Int64) {
        guard isThere else { return }
        connectionIsLost()
        takeSession()?.abandon()
        view = nil
        awayUntil = loop.now + milliseconds
        witness.forget()
    }

    private func leaveAndComeBack() {
        guard isThere, let session else { return }
        endTouch()
        isLeaving = true
        witness.forget()
        view = nil
        session.leave(roomID)
        join(session)
    }

    /// Of few sizes: the server has few sizes of squares.
    private func lookElsewhere() {
        guard isThere else { return }
        let side =
            Double.random(in: 0..<1, using: &random) < 0.2 ? nil : [150.0, 400, 900].randomElement(using: &random)
        view = side.map {
            RoomView(
                x: Double.random(in: -100...options.width, using: &random),
                y: Double.random(in: -100...options.height, using: &random), width: $0, height: $0)
        }
        session?.setView(view, in: roomID)
    }

    // MARK: The end

    /// Asks for its view again: the server may have refused it in the turmoil.
    func lookAgain() {
        if let view { session?.setView(view, in: roomID) }
    }

    /// Leaves one more position, which all others have to see.
    func moveLast() {
        guard isThere, openTouch == nil || random.chance(0.5) else { return }
        _ = send(random.chance(0.5) ? Touch(x: 1, y: 1) : Touch(x: options.width - 1, y: options.height - 1))
        if random.chance(0.3) { endTouch() }
    }
}
