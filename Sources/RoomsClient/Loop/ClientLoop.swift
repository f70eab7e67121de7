import CSystem
import COpenSSL
import Glibc
import Threads

/// A thread that carries any number of connections: epoll, timers and jobs of other threads.
///
/// Everything that belongs to a connection is touched on this thread alone; each entry checks that. It is an executor
/// too: actors that name it run here, so that their calls go straight to their connections.
///
///     let loop = try ClientLoop()
///     loop.post { … }          // runs on the loop's thread
///     loop.stop()
public final class ClientLoop: SerialExecutor, @unchecked Sendable {
    /// One for all clients that name no other. It never stops.
    public static let shared: ClientLoop = {
        do throws(ClientError) {
            return try ClientLoop()
        } catch {
            preconditionFailure("no loop could be made for clients: \(error)")
        }
    }()

    private enum Job {
        case closure(@Sendable () -> Void)
        case task(UnownedJob)
    }

    private struct Inbox {
        var jobs: [Job] = []
        var isStopped = false
    }

    private let inbox = Locked(Inbox())
    private let epoll: Int32
    /// Readable when there is something in the inbox.
    private let wake: Int32
    private let thread = Locked<pthread_t?>(nil)

    // What follows belongs to the thread.

    private var descriptors: [UInt64: any LoopDescriptor] = [:]
    private var nextDescriptor: UInt64 = 1
    private var timers = TimerHeap()
    private var turnEnds: [() -> Void] = []
    private var isStopping = false
    private lazy var buffers = LoopBuffers()
    private(set) lazy var resolver = Resolver(self)
    private var maskKeys = MaskKeys()
    /// Milliseconds of a clock that only goes forward: taken before the events of a turn, and again before its jobs.
    public private(set) var now = Clock.milliseconds()

    public init() throws(ClientError) {
        epoll = epoll_create1(Int32(EPOLL_CLOEXEC))
        wake = eventfd(0, Int32(EFD_CLOEXEC | EFD_NONBLOCK))
        guard epoll >= 0, wake >= 0 else { throw .cannotConnect("no loop: \(String(cString: strerror(errno)))") }
        var event = epoll_event()
        event.events = EPOLLIN.rawValue
        event.data.u64 = 0
        epoll_ctl(epoll, EPOLL_CTL_ADD, wake, &event)
        // The thread keeps the loop until it is stopped.
        let isStarted = SystemThread.detach {
            self.thread.withLock { $0 = pthread_self() }
            self.run()
        }
        guard isStarted else { throw .cannotConnect("no thread for the loop") }
    }

    deinit {
        close(epoll)
        close(wake)
    }

    // MARK: From any thread

    /// Runs a job on the loop's thread, soon. Answers false when the loop has been stopped.
    @discardableResult
    public func post(_ job: @escaping @Sendable () -> Void) -> Bool { put(.closure(job)) }

    public func enqueue(_ job: consuming ExecutorJob) {
        let isTaken = put(.task(UnownedJob(job)))
        precondition(isTaken, "a task runs on a loop that has been stopped")
    }

    private func put(_ job: Job) -> Bool {
        let (isTaken, isFirst) = inbox.withLock { inbox in
            guard !inbox.isStopped else { return (false, false) }
            inbox.jobs.append(job)
            return (true, inbox.jobs.count == 1)
        }
        if isFirst {
            var one: UInt64 = 1
            _ = write(wake, &one, MemoryLayout<UInt64>.size)
        }
        return isTaken
    }

    /// Ends the thread at the end of its turn. Close the clients of the loop before.
    public func stop() {
        post { self.isStopping = true }
    }

    public var isCurrent: Bool {
        thread.withLock { thread in thread.map { pthread_equal($0, pthread_self()) != 0 } ?? false }
    }

    public func preconditionOnLoop() { precondition(isCurrent, "this belongs to the loop's thread") }

    public func checkIsolated() { preconditionOnLoop() }

    public func isIsolatingCurrentContext() -> Bool? { isCurrent }

    // MARK: The thread

    private func run() {
        var events = [epoll_event](repeating: epoll_event(), count: 256)
        while !isStopping {
            let count = epoll_wait(epoll, &events, Int32(events.count), patience())
            now = Clock.milliseconds()
            for index in 0..<max(Int(count), 0) { handle(events[index]) }
            runJobs()
            fireTimers()
            endTurn()
        }
        inbox.withLock { $0.isStopped = true }
        runJobs()
        descriptors = [:]
    }

    /// How long there is nothing to do, in milliseconds.
    private func patience() -> Int32 {
        guard let next = timers.next() else { return -1 }
        return Int32(clamping: max(next - Clock.milliseconds(), 0))
    }

    private func handle(_ event: epoll_event) {
        let id = event.data.u64
        if id == 0 {
            var count: UInt64 = 0
            _ = read(wake, &count, MemoryLayout<UInt64>.size)
        } else if let descriptor = descriptors[id] {
            descriptor.ready(
                LoopReadiness(
                    isReadable: event.events & (EPOLLIN.rawValue | EPOLLHUP.rawValue | EPOLLERR.rawValue) != 0,
                    isWritable: event.events & (EPOLLOUT.rawValue | EPOLLHUP.rawValue | EPOLLERR.rawValue) != 0))
        }
    }

    private func runJobs() {
        let jobs = inbox.withLock { inbox in
            let jobs = inbox.jobs
            inbox.jobs = []
            return jobs
        }
        guard !jobs.isEmpty else { return }
        // They may have been posted long after the turn began: a thread can be stopped at any place.
        now = Clock.milliseconds()
        for job in jobs {
            switch job {
            case .closure(let closure): closure()
            case .task(let task): task.runSynchronously(on: asUnownedSerialExecutor())
            }
        }
    }

    private func fireTimers() {
        while let timer = timers.take(dueAt: now) { timer.fire?() }
    }

    private func endTurn() {
        while !turnEnds.isEmpty {
            let due = turnEnds
            turnEnds = []
            for job in due { job() }
        }
    }
}

// MARK: - On the thread

extension ClientLoop {
    public func arm(_ timer: ClientTimer, in milliseconds: Int64) {
        preconditionOnLoop()
        timers.arm(timer, at: now + max(milliseconds, 1))
    }

    public func cancel(_ timer: ClientTimer) {
        timers.cancel(timer)
    }

    /// Runs a job when this turn's events have been handled: what many of them want to write goes out at once.
    package func atTurnEnd(_ job: @escaping () -> Void) {
        turnEnds.append(job)
    }

    func add(_ descriptor: any LoopDescriptor, wantsToWrite: Bool) -> UInt64 {
        preconditionOnLoop()
        let id = nextDescriptor
        nextDescriptor += 1
        descriptors[id] = descriptor
        control(EPOLL_CTL_ADD, descriptor.fd, id, LoopReadiness(isReadable: true, isWritable: wantsToWrite))
        return id
    }

    func change(_ id: UInt64, _ fd: Int32, to wanted: LoopReadiness) {
        control(EPOLL_CTL_MOD, fd, id, wanted)
    }

    func remove(_ id: UInt64, _ fd: Int32) {
        descriptors[id] = nil
        control(EPOLL_CTL_DEL, fd, id, LoopReadiness(isReadable: false, isWritable: false))
    }

    private func control(_ operation: Int32, _ fd: Int32, _ id: UInt64, _ wanted: LoopReadiness) {
        var event = epoll_event()
        event.events = (wanted.isReadable ? EPOLLIN.rawValue : 0) | (wanted.isWritable ? EPOLLOUT.rawValue : 0)
        event.data.u64 = id
        epoll_ctl(epoll, operation, fd, &event)
    }

    /// The mask of one frame.
    func nextMaskKey() -> UInt32 { maskKeys.next() }

    var inputBuffer: UnsafeMutableRawBufferPointer { buffers.input }
    var plainBuffer: UnsafeMutableRawBufferPointer { buffers.plain }
    var tlsIO: UnsafeMutablePointer<rooms_tls_io> { buffers.tls }
}

/// What a descriptor waits for, or has come.
package struct LoopReadiness: Equatable {
    var isReadable: Bool
    var isWritable: Bool
}

/// A file descriptor that a loop watches.
package protocol LoopDescriptor: AnyObject {
    var fd: Int32 { get }
    func ready(_ readiness: LoopReadiness)
}

/// What all connections of a loop read into: none holds a buffer while it waits.
private final class LoopBuffers {
    let input = UnsafeMutableRawBufferPointer.allocate(byteCount: 64 * 1024, alignment: 16)
    let plain = UnsafeMutableRawBufferPointer.allocate(byteCount: 64 * 1024, alignment: 16)
    private let output = UnsafeMutableRawBufferPointer.allocate(byteCount: 64 * 1024, alignment: 16)
    let tls = UnsafeMutablePointer<rooms_tls_io>.allocate(capacity: 1)

    init() {
        tls.initialize(
            to: rooms_tls_io(
                input: nil, input_count: 0, output: output.baseAddress?.assumingMemoryBound(to: UInt8.self),
                output_count: 0, output_capacity: output.count))
    }

    deinit {
        input.deallocate()
        plain.deallocate()
        output.deallocate()
        tls.deallocate()
    }
}

/// Masks of WebSocket frames, which must not be predictable: random bytes of the system, fetched in blocks.
private struct MaskKeys {
    private var keys: [UInt32] = []

    mutating func next() -> UInt32 {
        if let key = keys.popLast() { return key }
        var fresh = [UInt32](repeating: 0, count: 1_024)
        let isFilled = fresh.withUnsafeMutableBytes { Self.fill($0) }
        precondition(isFilled, "the system gives no random bytes")
        let key = fresh.removeLast()
        keys = fresh
        return key
    }

    /// `getentropy` gives 256 bytes at a time at most.
    private static func fill(_ bytes: UnsafeMutableRawBufferPointer) -> Bool {
        stride(from: 0, to: bytes.count, by: 256).allSatisfy { start in
            getentropy(bytes.baseAddress.map { $0 + start }, min(256, bytes.count - start)) == 0
        }
    }
}
