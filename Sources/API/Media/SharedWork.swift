import Threads

/// Work that several requests ask for at a time. It is done once, and all of them get its result.
final class SharedWork<Value: Sendable>: Sendable {
    private let running = Locked<[String: Task<Value, Never>]>([:])

    /// The result of the work of this name that runs, or of this one. It goes on when nobody waits for it any more.
    func result(of name: String, _ work: @escaping @Sendable () async -> Value) async -> Value {
        let task = running.withLock { running in
            if let task = running[name] { return task }
            let task = Task.detached { [self] in
                let value = await work()
                self.running.withLock { $0[name] = nil }
                return value
            }
            running[name] = task
            return task
        }
        return await task.value
    }
}
