import Threads

/// Jobs for the store's threads: bounded, in their order.
final class JobQueue<Job: Sendable>: Sendable {
    private struct State {
        /// Those before `first` have been taken.
        var jobs: [(job: Job, byteCount: Int)] = []
        var first = 0
        var byteCount = 0
        var isClosed = false

        var count: Int { jobs.count - first }
    }

    enum Offer {
        case taken, full, closed
    }

    private let state = Monitor(State())
    private let jobsMax: Int
    private let bytesMax: Int

    init(jobsMax: Int, bytesMax: Int) {
        self.jobsMax = jobsMax
        self.bytesMax = bytesMax
    }

    var count: Int { state.withLock { $0.count } }

    func offer(_ job: Job, byteCount: Int) -> Offer {
        let offer: Offer = state.withLock { state in
            if state.isClosed { return .closed }
            // A job larger than the bound is accepted only into an empty queue.
            guard state.count < jobsMax, state.count == 0 || state.byteCount + byteCount <= bytesMax else {
                return .full
            }
            state.jobs.append((job, byteCount))
            state.byteCount += byteCount
            return .taken
        }
        if case .taken = offer { state.notify() }
        return offer
    }

    /// Waits for jobs until a time and takes the oldest ones, up to the bounds and at least one. Empty when the time is
    /// over; nil when the queue is closed and empty.
    func take(upTo countMax: Int, bytesMax: Int, until time: Int64?) -> [Job]? {
        state.wait { state in
            guard state.count > 0 else {
                if state.isClosed { return .done(nil) }
                if let time, Clock.milliseconds() >= time { return .done([]) }
                return .again(at: time)
            }
            var taken: [Job] = []
            var bytes = 0
            while state.count > 0, taken.count < countMax {
                let next = state.jobs[state.first]
                guard taken.isEmpty || bytes + next.byteCount <= bytesMax else { break }
                bytes += next.byteCount
                taken.append(next.job)
                state.first += 1
            }
            state.byteCount -= bytes
            if state.first == state.jobs.count || state.first > 1_024 {
                state.jobs.removeFirst(state.first)
                state.first = 0
            }
            return .done(taken)
        }
    }

    /// Accepts no more jobs. Waiting ones are still taken.
    func close() {
        state.withLock { $0.isClosed = true }
        state.notify()
    }

    var isClosed: Bool { state.withLock { $0.isClosed } }
}
