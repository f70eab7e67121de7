/// Threads that do jobs in the order in which they came. How many jobs may wait is bounded.
package final class Workers<Job: Sendable, Outcome: Sendable>: Sendable {
    private struct Waiting {
        let job: Job
        let answer: CheckedContinuation<Outcome?, Never>
    }

    private struct State {
        var waiting: [Waiting] = []
        var isStopped = false
    }

    private let waitingMax: Int
    private let state = Monitor(State())
    private let threads: [SystemThread]
    private let isEnding = Locked(false)

    /// - Parameters:
    ///   - waitingMax: jobs that wait for a thread.
    ///   - makeWorker: called on each thread; gives the function that does the thread's jobs.
    package init(
        threadCount: Int, waitingMax: Int, _ makeWorker: @escaping @Sendable () -> (Job) -> Outcome
    ) {
        self.waitingMax = waitingMax
        let state = state
        threads = (0..<threadCount).compactMap { _ in
            SystemThread {
                let work = makeWorker()
                while let next = Self.next(state) { next.answer.resume(returning: work(next.job)) }
            }
        }
    }

    deinit { stop() }

    /// Ends the threads. Jobs that still wait are not done.
    package func stop() {
        let isFirst = isEnding.withLock { isEnding in
            defer { isEnding = true }
            return !isEnding
        }
        guard isFirst else { return }
        let left = state.withLock { state in
            state.isStopped = true
            defer { state.waiting = [] }
            return state.waiting
        }
        state.notify()
        for job in left { job.answer.resume(returning: nil) }
        for thread in threads { thread.join() }
    }

    /// The outcome of a job; nil if it was not done because too many wait or the threads have ended.
    package func run(_ job: Job) async -> Outcome? {
        await withCheckedContinuation { answer in
            let isTaken = state.withLock { state in
                guard !state.isStopped, state.waiting.count < waitingMax, !threads.isEmpty else { return false }
                state.waiting.append(Waiting(job: job, answer: answer))
                return true
            }
            guard isTaken else { return answer.resume(returning: nil) }
            state.notify()
        }
    }

    private static func next(_ state: Monitor<State>) -> Waiting? {
        state.wait { state in
            if !state.waiting.isEmpty { return .done(state.waiting.removeFirst()) }
            return state.isStopped ? .done(nil) : .again(at: nil)
        }
    }
}
