import Glibc

/// A few threads for work that would make a loop wait: files above all.
///
/// Jobs wait in one bounded queue; each runs on one of the threads, in the order in which they were submitted.
public final class WorkerThreads: @unchecked Sendable {
    public typealias Job = @Sendable () -> Void

    private let jobsMax: Int
    private let mutex: UnsafeMutablePointer<pthread_mutex_t>
    private let changed: UnsafeMutablePointer<pthread_cond_t>
    private var jobs: [Job] = []
    /// Where in `jobs` the next one is.
    private var next = 0
    private var isStopping = false
    private var threads: [pthread_t] = []

    /// Whoever makes it also stops it: the threads hold it.
    public init(count: Int, jobsMax: Int = 4096) {
        precondition(count > 0 && jobsMax > 0)
        self.jobsMax = jobsMax
        mutex = .allocate(capacity: 1)
        mutex.initialize(to: pthread_mutex_t())
        changed = .allocate(capacity: 1)
        changed.initialize(to: pthread_cond_t())
        let areMade = pthread_mutex_init(mutex, nil) == 0 && pthread_cond_init(changed, nil) == 0
        precondition(areMade, "a mutex could not be made")
        for _ in 0..<count { threads.append(spawn()) }
    }

    deinit {
        pthread_cond_destroy(changed)
        changed.deallocate()
        pthread_mutex_destroy(mutex)
        mutex.deallocate()
    }

    /// Answers false, and drops the job, when `jobsMax` jobs wait or the threads were told to stop.
    @discardableResult
    public func submit(_ job: @escaping Job) -> Bool {
        pthread_mutex_lock(mutex)
        defer { pthread_mutex_unlock(mutex) }
        guard !isStopping, jobs.count - next < jobsMax else { return false }
        jobs.append(job)
        pthread_cond_signal(changed)
        return true
    }

    /// Takes no more jobs, and returns when those that wait are done.
    public func stop() {
        pthread_mutex_lock(mutex)
        isStopping = true
        let running = threads
        threads = []
        pthread_cond_broadcast(changed)
        pthread_mutex_unlock(mutex)
        for thread in running { pthread_join(thread, nil) }
    }

    private func spawn() -> pthread_t {
        var thread = pthread_t()
        let status = pthread_create(
            &thread, nil,
            { argument in
                guard let argument else { return nil }
                Unmanaged<WorkerThreads>.fromOpaque(argument).takeRetainedValue().run()
                return nil
            }, Unmanaged.passRetained(self).toOpaque())
        precondition(status == 0, "a thread could not be started: \(status)")
        return thread
    }

    private func run() {
        while let job = take() { job() }
    }

    /// Nil when there is nothing left to do for ever.
    private func take() -> Job? {
        pthread_mutex_lock(mutex)
        defer { pthread_mutex_unlock(mutex) }
        while next == jobs.count {
            if isStopping { return nil }
            pthread_cond_wait(changed, mutex)
        }
        let job = jobs[next]
        // What it holds goes with it, not with those behind it.
        jobs[next] = {}
        next += 1
        if next == jobs.count || next >= 1024 {
            jobs.removeFirst(next)
            next = 0
        }
        return job
    }
}
