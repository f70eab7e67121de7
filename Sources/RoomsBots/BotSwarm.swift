import RoomsClient

/// Many bots on one loop. It belongs to the loop's thread; `BotRun` is its side for others.
final class BotSwarm {
    struct Counters: Sendable {
        var connected = 0
        var touches = 0
        var events = 0
        var operations = 0
        var answers = 0
        var refusals = 0
        var losses = 0
        var recoveries = 0
        var garbage = 0
    }

    enum Note { case refusal }

    let options: BotOptions
    let loop: ClientLoop
    var counters = Counters()
    private(set) var bots: [Bot] = []
    private var ledgers: [String: Ledger] = [:]
    private var garbage: [ObjectIdentifier: Garbage] = [:]
    private let rampTimer = ClientTimer()
    private let secondTimer = ClientTimer()
    private let startedAt: Int64
    private let report: (BotReport) -> Void
    private var verdict: Result<Void, BrokenPromise>?
    private var lastNote = ""
    private let garbageURL: ServerURL?

    private static let garbageMax = 50

    init(_ options: BotOptions, _ loop: ClientLoop, report: @escaping (BotReport) -> Void) {
        self.options = options
        self.loop = loop
        self.report = report
        startedAt = loop.now
        garbageURL = try? ServerURL(options.url)
    }

    func start() {
        rampTimer.fire = { [unowned self] in self.addBots() }
        secondTimer.fire = { [unowned self] in self.second() }
        addBots()
        loop.arm(secondTimer, in: 1_000)
    }

    /// As many as the time since the start asks for.
    private func addBots() {
        let due = min(options.count, Int(Double(loop.now - startedAt) / 1_000 * options.ramp) + 1)
        while bots.count < due {
            let bot =
                switch options.behaviour {
                case .chaos: ChaosBot(bots.count, self)
                case .write: WritingBot(bots.count, self)
                default: Bot(bots.count, self)
                }
            bots.append(bot)
            do throws(ClientError) {
                try bot.start()
            } catch {
                note(.refusal, "\(error)")
            }
        }
        if bots.count < options.count { loop.arm(rampTimer, in: 20) }
    }

    private func second() {
        loop.arm(secondTimer, in: 1_000)
        for case let bot as ChaosBot in bots { bot.checkDoubts() }
        report(currentReport(nil))
        lastNote = ""
    }

    private func currentReport(_ verdict: Result<Void, BrokenPromise>?) -> BotReport {
        BotReport(
            counters: counters, botCount: bots.count, thereCount: bots.count { $0.isThere },
            seconds: Double(loop.now - startedAt) / 1_000, lastNote: lastNote, verdict: verdict)
    }

    func ledger(_ room: String) -> Ledger {
        if let ledger = ledgers[room] { return ledger }
        let ledger = Ledger()
        ledgers[room] = ledger
        return ledger
    }

    // MARK: What bots tell

    func connected(isFirst: Bool, isRecovered: Bool) {
        counters.connected += 1
        if isRecovered { counters.recoveries += 1 }
    }

    func disconnected(wasConnected: Bool, _ reason: String) {
        counters.losses += 1
        lastNote = reason
    }

    func answered(_ result: Result<Void, ClientError>) {
        counters.answers += 1
        guard case .failure(let error) = result, error != .closed else { return }
        // A bot that left its room gave them up itself.
        if case .badArgument = error { return }
        note(.refusal, "\(error)")
    }

    func note(_ note: Note, _ text: String) {
        counters.refusals += 1
        lastNote = text
    }

    func broke(_ fault: Fault, _ bot: String, _ events: [String]) {
        guard verdict == nil else { return }
        verdict = .failure(
            BrokenPromise(
                promise: fault.promise, bot: bot, detail: fault.detail, events: events, seed: options.seed))
        // Not from within the bot's own turn.
        loop.atTurnEnd { [self] in finish() }
    }

    func throwGarbage(seed: UInt64) {
        guard garbage.count < Self.garbageMax, let garbageURL else { return }
        counters.garbage += 1
        let thrown = Garbage(loop, garbageURL, options.trust, seed: seed) { [unowned self] in
            self.garbage[ObjectIdentifier($0)] = nil
        }
        garbage[ObjectIdentifier(thrown)] = thrown
    }

    // MARK: The end

    /// Stops: at once, or after bots of chaos have compared their views.
    func stop() {
        guard verdict == nil else { return }
        let chaos = bots.compactMap { $0 as? ChaosBot }
        guard !chaos.isEmpty else {
            verdict = .success(())
            return finish()
        }
        Comparison(self, chaos).begin()
    }

    func compared(_ result: Result<Void, BrokenPromise>) {
        guard verdict == nil else { return }
        verdict = result
        finish()
    }

    private func finish() {
        loop.cancel(rampTimer)
        loop.cancel(secondTimer)
        for thrown in garbage.values { thrown.end() }
        let last = currentReport(verdict)
        for bot in bots { bot.stop() }
        rampTimer.fire = nil
        // Farewells over polling take a moment, and so do many notes.
        let deadline = loop.now + Self.farewellMilliseconds
        secondTimer.fire = { self.end(last, at: deadline) }
        loop.arm(secondTimer, in: options.transport == .websocket && options.behaviour != .draw ? 1 : 500)
    }

    private static let farewellMilliseconds: Int64 = 10_000

    /// Lets go of what holds the swarm in turn, once all bots have left.
    private func end(_ last: BotReport, at deadline: Int64) {
        if loop.now < deadline, bots.contains(where: { !$0.isGone }) { return loop.arm(secondTimer, in: 50) }
        secondTimer.fire = nil
        // Past the deadline, bots leave without their answers.
        for bot in bots { bot.takeSession()?.close() }
        bots = []
        report(last)
    }
}

/// How a run of bots stands.
package struct BotReport: Sendable {
    let counters: BotSwarm.Counters
    package let botCount: Int
    /// Bots that are in their rooms.
    package let thereCount: Int
    package let seconds: Double
    /// Something that went wrong since the last report, if anything did.
    package let lastNote: String
    /// Set in the last report.
    package let verdict: Result<Void, BrokenPromise>?

    /// Connections that came about.
    package var connectedCount: Int { counters.connected }
    package var touches: Int { counters.touches }
    package var events: Int { counters.events }
    package var refusals: Int { counters.refusals }
    package var losses: Int { counters.losses }
    package var recoveries: Int { counters.recoveries }

    package var line: String {
        let time = "\(Int(seconds)) s"
        let noted = lastNote.isEmpty ? "" : "  (\(lastNote))"
        return
            "\(time): \(thereCount) of \(botCount) bots there; sent \(touches) touches, \(counters.operations) changes; "
            + "got \(events) events, \(counters.answers) answers, \(refusals) refusals; "
            + "\(losses) connections lost, \(recoveries) recovered, \(counters.garbage) of garbage\(noted)"
    }
}
