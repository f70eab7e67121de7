import Recordings
import Relay
import Rooms
import Store
import Threads

/// Writes recordings, on one thread for all rooms.
///
/// Homes put pieces into a queue that is bounded in bytes, and never wait. What does not fit is a gap: the home is told when
/// there is place again, and begins anew with the room's whole state.
package final class RecordingWriter: RoomRecorder {
    enum Job: Sendable {
        case open(Opening)
        /// The store has answered.
        case begun(String, StoreError?)
        case piece(RecordedPiece, String)
        case end(String, RecordingEnd)
        /// A room has come into use.
        case find(RoomID, any RelayMailbox)
        /// The store could not take an end.
        case unstored(UnstoredEnd)
    }

    struct Opening: Sendable {
        let told: RoomRecording
        let room: RoomID
        let previous: String?
        let fence: Int64?
        let home: any RelayMailbox
    }

    struct UnstoredEnd: Sendable {
        let id: String
        /// Who is told when the store has it.
        let room: RoomID
        let home: any RelayMailbox
        let extent: RecordingExtent
        let reason: RecordingEnd
        let at: Int64
    }

    private struct Queue {
        var jobs: [Job] = []
        /// Of the pieces that were not written yet.
        var byteCount = 0
        /// Recordings that have a gap.
        var refused: Set<String> = []
        var isStopping = false
    }

    package let folder: RecordingFolder
    /// Nil where all servers have the directory.
    let exchange: RecordingExchange?
    package let totals = RecordingTotals()
    let limits: RecordingLimits
    let store: any RecordingDirectory
    /// This server.
    let writer: ClusterNode
    private let patterns: [RoomPattern]
    private let queue = Monitor(Queue())
    private let thread = Locked<SystemThread?>(nil)
    private let report: @Sendable (String) -> Void

    /// - Parameters:
    ///   - writer: this server; with the number 0 if it is not part of a cluster.
    ///   - exchange: what brings recordings to other servers; nil where all servers have the directory.
    ///   - patterns: the rooms that the operator wants recorded.
    ///   - report: called with what the operator should know.
    init(
        _ folder: RecordingFolder, _ store: any RecordingDirectory, writer: ClusterNode,
        exchange: RecordingExchange? = nil, limits: RecordingLimits, patterns: [RoomPattern],
        report: @escaping @Sendable (String) -> Void
    ) {
        (self.folder, self.store, self.writer, self.limits) = (folder, store, writer, limits)
        self.exchange = exchange
        (self.patterns, self.report) = (patterns, report)
    }

    /// Begins to write. False when the system has no more threads. `stop` has to follow.
    package func start() -> Bool {
        let started = SystemThread { WritingDesk(self).run() }
        thread.withLock { $0 = started }
        return started != nil
    }

    /// Ends what runs as interrupted, and returns when all of it is written and on its way to the store.
    package func stop() {
        queue.withLock { $0.isStopping = true }
        queue.notify()
        thread.withLock { $0.take() }?.join()
    }

    // MARK: For homes

    package var now: Int64 { Clock.unixMilliseconds() }

    package func records(_ room: String) -> Bool { patterns.contains { $0.matches(room) } }

    package func open(
        _ recording: RoomRecording, of room: RoomID, after previous: String?, fence: Int64?,
        for home: any RelayMailbox
    ) {
        let opening = Opening(told: recording, room: room, previous: previous, fence: fence, home: home)
        if !put(.open(opening)) {
            home.insist(.home(room, .recording(.opened(recording.id, Self.stops))))
        }
    }

    package func write(_ piece: RecordedPiece, of recording: String) -> Bool {
        let byteCount = piece.byteCount
        let isTaken = queue.withLock { queue in
            guard !queue.isStopping, queue.byteCount == 0 || queue.byteCount + byteCount <= limits.waitingBytesMax
            else {
                queue.refused.insert(recording)
                return false
            }
            queue.jobs.append(.piece(piece, recording))
            queue.byteCount += byteCount
            return true
        }
        if isTaken { queue.notify() } else { totals.count { $0.refused += 1 } }
        return isTaken
    }

    package func end(_ recording: String, reason: RecordingEnd) { put(.end(recording, reason)) }

    /// The ends that were given before go to the store before.
    package func findInterrupted(of room: RoomID, for home: any RelayMailbox) { put(.find(room, home)) }

    func find(_ room: RoomID, for home: any RelayMailbox) {
        let since = now - limits.continuesMillisecondsMax
        store.interruptedRecording(of: room.text, since: since) { [self] result in
            guard case .success(let recording?) = result else { return }
            if recording.reason == .stopped {
                home.insist(.home(room, .recording(.stopped(recording.id))))
                return
            }
            // The store could not take its end yet.
            let isOwn = recording.isRunning && recording.writer == writer
            guard !isOwn, recording.starter != nil || records(room.text) else { return }
            home.insist(.home(room, .recording(.interrupted(recording.id, startedBy: recording.starter))))
        }
    }

    private static let stops = RoomError(.shuttingDown, "The server stops.")

    /// False when the server stops.
    @discardableResult
    func put(_ job: Job) -> Bool {
        let isTaken = queue.withLock { queue in
            guard !queue.isStopping else { return false }
            queue.jobs.append(job)
            return true
        }
        if isTaken { queue.notify() }
        return isTaken
    }

    // MARK: For the writing thread

    /// What is to be done; nil at the end.
    ///
    /// - Parameter time: when to return without anything.
    func next(until time: Int64?) -> [Job]? {
        queue.wait { queue in
            if !queue.jobs.isEmpty {
                defer { queue.jobs = [] }
                return .done(queue.jobs)
            }
            if queue.isStopping { return .done(nil) }
            if let time, Clock.milliseconds() >= time { return .done([]) }
            return .again(at: time)
        }
    }

    /// These pieces were written. Returns the recordings that have waited for place.
    func wrote(_ byteCount: Int) -> Set<String> {
        let (waiting, refused) = queue.withLock { queue in
            queue.byteCount -= byteCount
            guard queue.byteCount <= limits.waitingBytesMax / 2 else { return (queue.byteCount, Set<String>()) }
            defer { queue.refused = [] }
            return (queue.byteCount, queue.refused)
        }
        totals.count { $0.waitingBytes = waiting }
        return refused
    }

    func closed(_ id: String) { queue.withLock { _ = $0.refused.remove(id) } }

    func tellOperator(_ what: String) { report(what) }
}
