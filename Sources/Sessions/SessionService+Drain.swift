import Transport

/// Sends the sessions of one shard away in stages, so that they do not come back to another server all at once.
final class SessionDrain {
    private struct Stage {
        weak var session: EngineSession?
        let due: Int64
    }

    private unowned let shard: Shard
    /// The next one last.
    private var stages: [Stage] = []
    private let timer = LoopTimer()

    init(_ shard: Shard) {
        self.shard = shard
        timer.fire = { [unowned self] in self.closeDue() }
    }

    /// Gives each session a time within the next `milliseconds`, in an order of chance, and tells it that time.
    func begin(_ sessions: [EngineSession], over milliseconds: Int) {
        let sessions = sessions.shuffled()
        for (index, session) in sessions.enumerated() {
            // Each somewhere in a share of its own: evenly spread, and yet at times that clients do not share.
            let share = Double(milliseconds) / Double(sessions.count)
            let delay = Int((Double(index) + .random(in: 0..<1)) * share)
            stages.append(Stage(session: session, due: shard.now + Int64(delay)))
            session.announceClose(inMilliseconds: delay)
        }
        stages.reverse()
        closeDue()
    }

    private func closeDue() {
        while let next = stages.last, next.due <= shard.now {
            stages.removeLast()
            next.session?.close(.serverShuttingDown)
        }
        if let next = stages.last { shard.arm(timer, in: Int(next.due - shard.now)) }
    }
}

extension SessionService {
    /// New sessions, and CONNECTs of those there are, are refused from now on. Each session is told when it will be
    /// closed, at a time of chance within `milliseconds`, and is closed then; until then it goes on.
    public func drain(over milliseconds: Int) {
        drain()
        beginStages(over: milliseconds)
    }
}
