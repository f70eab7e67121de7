import CLibWebSockets
import Threads

/// How other threads reach a shard: jobs that run on its loop, in the order in which they were posted.
///
/// Bounded; one wake-up per batch. A job that is posted after the shard has stopped is refused.
public final class ShardMailbox: @unchecked Sendable {
    public typealias Job = @Sendable (Shard) -> Void

    static let jobsMax = 1 << 16

    private struct State {
        var jobs: [Job] = []
        var isOpen = false
        var refused = 0
    }

    public let index: Int
    private let state = Locked(State())
    private let wake: UnsafeMutablePointer<uv_async_t>

    init(index: Int) {
        self.index = index
        wake = .allocate(capacity: 1)
        wake.initialize(to: uv_async_t())
    }

    deinit {
        wake.deinitialize(count: 1)
        wake.deallocate()
    }

    /// Answers false, and drops the job, when the shard is not running or has `jobsMax` jobs waiting.
    @discardableResult
    public func post(_ job: @escaping Job) -> Bool {
        add(job, jobsMax: Self.jobsMax)
    }

    /// Posts what a full box must not refuse, such as the order to stop, or the answer to a question of this shard:
    /// of those there are no more than questions, which are bounded where they are asked.
    ///
    /// Answers false when the shard is not running.
    @discardableResult
    public func insist(_ job: @escaping Job) -> Bool {
        add(job, jobsMax: .max)
    }

    private func add(_ job: @escaping Job, jobsMax: Int) -> Bool {
        state.withLock { state in
            guard state.isOpen, state.jobs.count < jobsMax else {
                state.refused += 1
                return false
            }
            state.jobs.append(job)
            if state.jobs.count == 1 { uv_async_send(wake) }
            return true
        }
    }

    /// Jobs that wait at this moment, and those that were refused since the start.
    public var counts: (waiting: Int, refused: Int) { state.withLock { ($0.jobs.count, $0.refused) } }

    // MARK: On the shard's thread

    func open(on loop: UnsafeMutablePointer<uv_loop_t>, shard: Shard) {
        let status = uv_async_init(loop, wake) { handle in
            guard let data = handle?.pointee.data else { return }
            Unmanaged<Shard>.fromOpaque(data).takeUnretainedValue().runPostedJobs()
        }
        precondition(status == 0, "a loop without a wake-up handle: \(status)")
        wake.pointee.data = Unmanaged.passUnretained(shard).toOpaque()
        state.withLock { $0.isOpen = true }
    }

    func takeJobs() -> [Job] {
        state.withLock { state in
            let jobs = state.jobs
            state.jobs = []
            return jobs
        }
    }

    /// Refuses what comes from now on and answers what was still waiting.
    func close() -> [Job] {
        let left = state.withLock { state in
            state.isOpen = false
            let jobs = state.jobs
            state.jobs = []
            return jobs
        }
        wake.withMemoryRebound(to: uv_handle_t.self, capacity: 1) { uv_close($0, nil) }
        return left
    }
}
