import Glibc
import Threads

/// The one thread that writes. Jobs that wait while a transaction is stored share the next one, so that one flush of
/// the disk serves all of them.
///
/// A refused job leaves no trace, and the others of its group are stored. When the place fails, nothing of the group is
/// stored and all jobs are told. Later entries of its rooms then do not follow the stored ones and are refused too, so
/// none overtakes.
final class StoreWriter {
    private let database: any SQLConnection
    private let limits: StoreLimits
    private let writing: JournalWriting
    private let queue: JobQueue<StoreJob>
    /// Gets jobs that only read, once all jobs before them are stored.
    private let readers: JobQueue<StoreJob>?
    private let state: StoreState
    private let now: @Sendable () -> Int64
    /// The number of the server's start, until it is stored.
    private var uncountedStart: Int64?
    private var nextGroupAt: Int64 = 0
    private var nextSweepAt: Int64 = 0

    init(
        _ database: any SQLConnection, _ limits: StoreLimits, notifies: Bool, start: Int64?, queue: JobQueue<StoreJob>,
        readers: JobQueue<StoreJob>?, state: StoreState, now: @escaping @Sendable () -> Int64
    ) {
        self.database = database
        self.limits = limits
        writing = JournalWriting(database, limits, notifies: notifies)
        self.queue = queue
        self.readers = readers
        self.state = state
        self.now = now
        uncountedStart = start
    }

    /// Works until the queue is closed and empty.
    func run() {
        nextSweepAt = Clock.milliseconds() + limits.sweepMilliseconds
        while true {
            let wake = state.health.isGood ? nextSweepAt : Clock.milliseconds() + limits.probeMilliseconds
            waitForGroup()
            guard let jobs = queue.take(upTo: limits.groupJobsMax, bytesMax: limits.groupBytesMax, until: wake) else {
                return finish()
            }
            store(jobs.filter { !$0.isRead })
            if jobs.contains(where: \.isRead) { countStartIfPossible() }
            for job in jobs { if case .read(let body) = job.work { read(body, job) } }
            if jobs.isEmpty, !state.health.isGood { probe() }
            if Clock.milliseconds() >= nextSweepAt { sweep() }
        }
    }

    /// Under load a group begins every few milliseconds at most. A job that comes to an idle store does not wait.
    private func waitForGroup() {
        let rest = nextGroupAt - Clock.milliseconds()
        guard rest > 0, !queue.isClosed else { return }
        usleep(UInt32(clamping: rest * 1_000))
    }

    // MARK: Groups

    private func store(_ jobs: [StoreJob]) {
        guard !jobs.isEmpty else { return }
        if case .failing(.corrupt(let path)) = state.health { return fail(jobs, .corrupt(path)) }
        let start = Clock.microseconds()
        nextGroupAt = start / 1_000 + limits.groupMilliseconds
        do throws(StoreError) {
            try countStart()
            let told = try commitWhereNodesMeet(jobs)
            let took = UInt64(clamping: Clock.microseconds() - start)
            state.count { $0.countGroup(jobs: jobs.count, microseconds: took) }
            // A group that changes nothing succeeds on a full disk, too.
            if !state.health.isGood { probe() }
            for tell in told { tell() }
        } catch {
            fail(jobs, error)
        }
    }

    /// Nothing is stored before the server's start is counted: the next start would have the same number.
    private func countStart() throws(StoreError) {
        guard let number = uncountedStart else { return }
        try database.transaction { () throws(StoreError) in try StartTable(database).store(number) }
        uncountedStart = nil
    }

    /// Of a room that is read members may be told changes which are never stored. A full disk can be read all the same.
    private func countStartIfPossible() {
        do throws(StoreError) {
            try countStart()
        } catch {
            // The next write says so.
        }
    }

    /// Of nodes that wait for each other's rows the database ends one's transaction. The jobs of that group are executed one by
    /// one then, so that none holds rows while it waits for others.
    private func commitWhereNodesMeet(_ jobs: [StoreJob]) throws(StoreError) -> [StoreJob.Told] {
        do throws(StoreError) {
            return try commit(jobs)
        } catch .contended {
            let appends = jobs.filter { $0.append != nil }
            let parts = (appends.isEmpty ? [] : [appends]) + jobs.filter { $0.append == nil }.map { [$0] }
            var told: [StoreJob.Told] = []
            let shown = database.shown
            for (index, part) in parts.enumerated() {
                do throws(StoreError) {
                    told += try commit(part)
                } catch .contended {
                    for job in part { told.append { job.fail(.contended(shown)) } }
                } catch {
                    // The parts before it are stored.
                    for tell in told { tell() }
                    fail(Array(parts[index...].joined()), error)
                    return []
                }
            }
            return told
        }
    }

    /// Executes the jobs in one transaction, which is stored when it returns. Returns the answers to call.
    ///
    /// Usually all jobs succeed. So the first attempt has no savepoints, which would copy every page that a job
    /// changes. When a job is refused, all are executed once more with savepoints: the appends still together, because
    /// mostly another job was refused, and each other job by itself.
    private func commit(_ jobs: [StoreJob]) throws(StoreError) -> [StoreJob.Told] {
        do throws(StoreError) {
            return try database.transaction { () throws(StoreError) in
                try jobs.lockPeople(in: database)
                return try perform(jobs)
            }
        } catch {
            if error.isOfStorage { throw error }
            return try database.transaction { () throws(StoreError) in
                try jobs.lockPeople(in: database)
                let appends = jobs.filter { $0.append != nil }
                var appended = try attempt(appends)?.makeIterator()
                var told: [StoreJob.Told] = []
                for job in jobs {
                    if job.append != nil, let answer = appended?.next() {
                        told.append(answer)
                    } else {
                        told += try alone(job)
                    }
                }
                return told
            }
        }
    }

    /// All appends come first, together. The answers keep the order of the jobs.
    private func perform(_ jobs: [StoreJob]) throws(StoreError) -> [StoreJob.Told] {
        var results = try database.append(jobs.compactMap(\.append), writing).makeIterator()
        var told: [StoreJob.Told] = []
        for job in jobs {
            switch job.work {
            case .append(_, let answer): told.append(Self.told(results.next(), job, answer))
            case .write(let body), .read(let body): told.append(try body(database))
            }
        }
        return told
    }

    private static func told(
        _ result: Result<UInt64, StoreError>?, _ job: StoreJob, _ answer: @escaping @Sendable (UInt64) -> Void
    ) -> StoreJob.Told {
        switch result {
        case .success(let seq): { answer(seq) }
        case .failure(let error): { job.fail(error) }
        case nil: preconditionFailure("a driver answers each append")
        }
    }

    private func alone(_ job: StoreJob) throws(StoreError) -> [StoreJob.Told] {
        var refusal = StoreError.closed
        if let told = try attempt([job], refusal: { refusal = $0 }) { return told }
        return [{ [refusal] in job.fail(refusal) }]
    }

    /// Executes jobs of which one may be refused. Then none leaves a trace, and the answer is nil.
    private func attempt(
        _ jobs: [StoreJob], refusal: (StoreError) -> Void = { _ in }
    ) throws(StoreError) -> [StoreJob.Told]? {
        try database.run("SAVEPOINT job")
        do throws(StoreError) {
            let told = try perform(jobs)
            try database.run("RELEASE SAVEPOINT job")
            return told
        } catch {
            if error.isOfStorage { throw error }
            try database.run("ROLLBACK TO SAVEPOINT job")
            try database.run("RELEASE SAVEPOINT job")
            refusal(error)
            return nil
        }
    }

    private func fail(_ jobs: [StoreJob], _ error: StoreError) {
        state.count { $0.failedGroups += 1 }
        // A damaged file stays refused, even if the next attempt would succeed.
        state.turn(.failing(error))
        for job in jobs { job.fail(error) }
    }

    // MARK: Reads

    private func read(_ body: StoreJob.Body, _ job: StoreJob) {
        guard let readers else { return StoreReader.read(body, job, database, state) }
        switch readers.offer(job, byteCount: job.byteCount) {
        case .taken: break
        case .full: job.fail(.overloaded)
        case .closed: job.fail(.closed)
        }
    }

    // MARK: What is done between

    /// Tries whether a failed store works again.
    private func probe() {
        if case .failing(.corrupt) = state.health { return }
        do throws(StoreError) {
            try database.probe()
            state.turn(.good)
        } catch {
            state.turn(.failing(error))
        }
    }

    private func sweep() {
        nextSweepAt = Clock.milliseconds() + limits.sweepMilliseconds
        guard state.health.isGood else { return }
        do throws(StoreError) {
            let isDone = try Sweep(database, limits, now: now()).run()
            if !isDone { nextSweepAt = Clock.milliseconds() + limits.groupMilliseconds }
        } catch .contended {
            // The next sweep does it.
        } catch {
            state.count { $0.failedGroups += 1 }
            state.turn(.failing(error))
        }
    }

    private func finish() {
        readers?.close()
        if state.health.isGood { database.finish() }
    }
}

extension StoreJob {
    fileprivate var isRead: Bool { if case .read = work { true } else { false } }
    fileprivate var append: RoomAppend? { if case .append(let append, _) = work { append } else { nil } }
}
