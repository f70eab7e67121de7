import Threads

/// A few threads for work that would block a loop, such as work with files.
///
/// Jobs wait in one bounded queue. Each runs on one of the threads, in the order in which they were submitted.
public final class WorkerThreads: Sendable {
    public typealias Job = @Sendable () -> Void

    private struct Queue {
        var jobs: [Job] = []
        /// The index of the next job in `jobs`.
        var next = 0
        var isStopping = false

        var count: Int { jobs.count - next }

        mutating func take() -> Job {
            let job = jobs[next]
            // The job's references are released with it, not with the later jobs.
            jobs[next] = {}
            next += 1
            if next == jobs.count || next >= 1024 {
                jobs.removeFirst(next)
                next = 0
            }
            return job
        }
    }

    private let jobsMax: Int
    private let queue = Monitor(Queue())
    private let threads = Locked<[SystemThread]>([])

    /// The owner has to stop it, because the threads hold it. Throws when the system refuses a thread.
    public convenience init(count: Int, jobsMax: Int = 4096) throws(TransportError) {
        try self.init(count: count, jobsMax: jobsMax) { SystemThread($0) }
    }

    init(
        count: Int, jobsMax: Int, start: (@escaping @Sendable () -> Void) -> SystemThread?
    ) throws(TransportError) {
        precondition(count > 0 && jobsMax > 0)
        self.jobsMax = jobsMax
        for _ in 0..<count {
            guard let thread = start({ while let job = self.take() { job() } }) else {
                stop()
                throw TransportError(description: "no thread could be started to work on files")
            }
            threads.withLock { $0.append(thread) }
        }
    }

    /// Returns false, and drops the job, when `jobsMax` jobs wait or the threads are stopping.
    @discardableResult
    public func submit(_ job: @escaping Job) -> Bool {
        let isTaken = queue.withLock { queue in
            guard !queue.isStopping, queue.count < jobsMax else { return false }
            queue.jobs.append(job)
            return true
        }
        if isTaken { queue.notify() }
        return isTaken
    }

    /// Accepts no more jobs, and returns when the waiting ones are done.
    public func stop() {
        queue.withLock { $0.isStopping = true }
        queue.notify()
        let running = threads.withLock { threads in
            defer { threads = [] }
            return threads
        }
        for thread in running { thread.join() }
    }

    /// Nil when there will be no more jobs.
    private func take() -> Job? {
        queue.wait { queue in
            if queue.count > 0 { return .done(queue.take()) }
            return queue.isStopping ? .done(nil) : .again(at: nil)
        }
    }
}
