import Transport

/// Closes the sessions of one shard in stages, so that they do not all reconnect to another server at once.
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

    /// Gives each session a time within the next `milliseconds`, in random order, and tells its client that time.
    func begin(_ sessions: [EngineSession], over milliseconds: Int) {
        let sessions = sessions.shuffled()
        for (index, session) in sessions.enumerated() {
            // Each time lies somewhere in a share of its own: evenly spread, and not at the same moment for many
            // clients.
            let share = Double(milliseconds) / Double(sessions.count)
            let delay = Int((Double(index) + .random(in: 0..<1)) * share)
            stages.append(Stage(session: session, due: shard.now + Int64(delay)))
            session.announceClose(inMilliseconds: delay)
        }
        stages.reverse()
        closeDue()
    }

    func cancel() {
        stages = []
        shard.cancel(timer)
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
    /// From now on new sessions and further CONNECTs are refused. Each session is told a random time within
    /// `milliseconds`, goes on until then, and is closed.
    public func drain(over milliseconds: Int) {
        drain()
        beginStages(over: milliseconds)
    }
}
