import RoomsClient

/// The end of a run of chaos: all bots calm down, and then all views must be equal, and equal to what was sent.
final class Comparison {
    private static let calmMilliseconds: Int64 = 1_000
    private static let patienceMilliseconds: Int64 = 20_000

    private let swarm: BotSwarm
    private let bots: [ChaosBot]
    private let timer = ClientTimer()
    private var beganAt: Int64 = 0
    private var hasMoved = false

    init(_ swarm: BotSwarm, _ bots: [ChaosBot]) {
        self.swarm = swarm
        self.bots = bots
    }

    func begin() {
        beganAt = swarm.loop.now
        for bot in bots { bot.isCalm = true }
        timer.fire = { self.look() }
        swarm.loop.arm(timer, in: Self.calmMilliseconds)
    }

    private func look() {
        let isLate = swarm.loop.now - beganAt > Self.patienceMilliseconds
        if !hasMoved, bots.allSatisfy({ $0.isThere && $0.session?.operationCount == 0 }) {
            hasMoved = true
            for bot in bots {
                bot.lookAgain()
                bot.moveLast()
            }
            return again()
        }
        if !hasMoved {
            guard isLate else { return again() }
            let missing = bots.first { !$0.isThere || $0.session?.operationCount != 0 }
            return end(missing.map { ($0, Fault(.durability, "did not come back, or its changes were not answered")) })
        }
        guard let different = firstDifference() else { return end(nil) }
        if isLate { end(different) } else { again() }
    }

    private func again() { swarm.loop.arm(timer, in: 200) }

    private func end(_ found: (bot: ChaosBot, fault: Fault)?) {
        timer.fire = nil
        guard let (bot, fault) = found else { return swarm.compared(.success(())) }
        swarm.compared(
            .failure(
                BrokenPromise(
                    promise: fault.promise, bot: bot.name, detail: fault.detail, events: bot.witness.recent,
                    seed: swarm.options.seed)))
    }

    private func firstDifference() -> (bot: ChaosBot, fault: Fault)? {
        let rooms = Dictionary(grouping: bots, by: \.roomID)
        let prefix = "\(swarm.options.prefix)-"
        for room in rooms.values {
            let names = Set(room.map(\.name))
            let made = room.flatMap(\.own)
            for bot in room {
                let witness = bot.witness
                let there = witness.participants.filter { $0.hasPrefix(prefix) }
                if there != names {
                    let wrong = there.symmetricDifference(names).sorted()
                    return (bot, Fault(.presence, "\(wrong) are there and are not told, or the other way round"))
                }
                if witness.digest != room[0].witness.digest {
                    return (bot, Fault(.agreement, "its state is not that of \(room[0].name)"))
                }
                if let lost = made.first(where: { witness.versions[$0] == nil }) {
                    return (bot, Fault(.durability, "the element \(lost), which was acked, is not there"))
                }
                for other in room where other !== bot {
                    if let fault = difference(bot, other) { return (bot, fault) }
                }
            }
        }
        return nil
    }

    /// What a bot sees of another one's touch.
    private func difference(_ bot: ChaosBot, _ other: ChaosBot) -> Fault? {
        guard let sent = other.openTouch else { return nil }
        let (witness, name) = (bot.witness, other.name)
        if bot.view?.isSurelyWithout(other.lastPosition) == true {
            return witness.touching.contains(name) ? Fault(.view, "\(name) has left its view and is still seen") : nil
        }
        guard bot.view?.contains(other.lastPosition) ?? true else { return nil }
        if witness.lastTouches[name] == sent, witness.touching.contains(name) { return nil }
        let seen = witness.lastTouches[name]?.text ?? "nothing"
        return Fault(.finalTouch, "\(name) moved to \(sent.text) at last; seen was \(seen)")
    }
}

extension RoomView {
    fileprivate func contains(_ touch: Touch) -> Bool {
        touch.x >= x && touch.x <= x + width && touch.y >= y && touch.y <= y + height
    }

    /// The server tells a client of whole squares, which are smaller than this margin.
    fileprivate func isSurelyWithout(_ touch: Touch) -> Bool {
        let margin = max(width, height)
        return touch.x < x - margin || touch.x > x + width + margin || touch.y < y - margin
            || touch.y > y + height + margin
    }
}
