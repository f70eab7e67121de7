import Store
import Threads

/// Work that several requests of a session ask for at a time. It is done once, for the session, and all of them get its result.
final class SharedWork<Value: Sendable>: Sendable {
    private struct Running {
        let task: Task<Value, Never>
        var waiting = 1
    }

    private let waitingMax: Int
    private let running = Locked<[String: Running]>([:])

    /// - Parameter waitingMax: so many requests wait for one work.
    init(waitingMax: Int = 8) {
        self.waitingMax = waitingMax
    }

    /// The result of the work of this name that runs, or of this one. It goes on when nobody waits for it any more. Nil when too
    /// many wait for it.
    func result(of name: String, _ work: @escaping @Sendable () async -> Value) async -> Value? {
        let name = Mandate.current.map { "\(name) \($0.session)" } ?? name
        let task = running.withLock { running -> Task<Value, Never>? in
            if let known = running[name] {
                guard known.waiting < waitingMax else { return nil }
                running[name]?.waiting += 1
                return known.task
            }
            // It has the mandate of the task that asks.
            let task = Task { [self] in
                let value = await work()
                self.running.withLock { $0[name] = nil }
                return value
            }
            running[name] = Running(task: task)
            return task
        }
        return await task?.value
    }
}
