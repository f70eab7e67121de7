/// What is known of recordings of rooms. Their files are elsewhere.
package protocol RecordingDirectory: Sendable {
    /// A room's home begins a recording. One of the room that still runs has lost its home: it is ended as interrupted.
    ///
    /// Throws `conflict` when the recording goes on from another one, which somebody has ended by now.
    ///
    /// - Parameter fence: the home's proof in a cluster. Throws `notHome` when another node has claimed the room.
    func beginRecording(_ recording: Recording, fence: Int64?, then answer: @escaping Answer<Void>)

    /// Keeps how far a recording has come that is not settled. The file is whole up to there.
    func noteRecording(_ id: String, _ extent: RecordingExtent, then answer: @escaping Answer<Void>)

    /// The server that writes a recording ends it, and has written all of it. One that was ended before keeps its end,
    /// and gets the extent. Answers false when there is no such recording, or it is to be deleted.
    ///
    /// - Parameter settles: whether all of it is where every server finds it. If not, one that is settled keeps its extent.
    func endRecording(
        _ id: String, _ extent: RecordingExtent, reason: RecordingEnd, at milliseconds: Int64, settles: Bool,
        then answer: @escaping Answer<Bool>)

    /// A member wants a recording to end that no home has. It does not go on in another one, or has done so already.
    func stopRecording(_ id: String, at milliseconds: Int64, then answer: @escaping Answer<Void>)

    /// A recording whose writer has ended has this extent. If it runs by its row it ends as interrupted. One that is
    /// settled stays as it is.
    func settleRecording(
        _ id: String, _ extent: RecordingExtent, at milliseconds: Int64, then answer: @escaping Answer<Void>)

    /// Another file takes the place of one that is settled. Until the new end is told, whoever needs it measures the file. Answers
    /// false when there is no such recording, or it is not settled or to be deleted.
    func unsettleRecording(_ id: String, then answer: @escaping Answer<Bool>)

    /// Answers nil also for one that is to be deleted.
    func recording(_ id: String, then answer: @escaping Answer<Recording?>)

    /// The recording in which an interrupted one goes on.
    func recording(after id: String, then answer: @escaping Answer<Recording?>)

    /// The newest first.
    func recordings(of room: String, _ page: PageRequest, then answer: @escaping Answer<Page<Recording>>)

    /// The newest recording of a room if it runs. Also one that ended at or after a time, because it was interrupted, or because
    /// a member ended it and its writer has not settled it.
    func interruptedRecording(
        of room: String, since milliseconds: Int64, then answer: @escaping Answer<Recording?>)

    /// Recordings that are not settled and that nobody writes: of servers that have ended.
    func strayRecordings(of writer: ClusterNode, then answer: @escaping Answer<[Recording]>)

    /// A recording is not listed any more. Its row stays until its file is gone.
    func doomRecording(_ id: String, then answer: @escaping Answer<Void>)

    /// Dooms what is over the bounds, of the user whose are most first, the oldest first, and answers what is to be deleted.
    /// Recordings that run stay, and do not count before their end. What the server records by itself counts for its room.
    func doomedRecordings(
        _ bounds: RecordingBounds, at milliseconds: Int64, then answer: @escaping Answer<[String]>)

    /// The file is gone.
    func removeRecording(_ id: String, then answer: @escaping Answer<Void>)

    /// Which of these recordings have rows.
    func knownRecordings(_ ids: [String], then answer: @escaping Answer<[String]>)
}

package struct Recording: Sendable, Equatable {
    package let id: String
    package let room: String
    /// The user who has started it; nil for the server itself.
    package let starter: String?
    /// The interrupted recording that goes on in this one.
    package let previous: String?
    /// The server that writes it.
    package let writer: ClusterNode
    /// Milliseconds since 1970.
    package let startedAt: Int64
    /// Nil while it runs.
    package let endedAt: Int64?
    /// Nil while it runs, and for an end that only a newer server knows.
    package let reason: RecordingEnd?
    package let extent: RecordingExtent
    /// Whether the extent is that of the whole file, which nobody writes any more.
    package let isSettled: Bool

    package init(
        id: String, room: String, starter: String?, previous: String? = nil, writer: ClusterNode, startedAt: Int64,
        endedAt: Int64? = nil, reason: RecordingEnd? = nil, extent: RecordingExtent = RecordingExtent(),
        isSettled: Bool = false
    ) {
        self.id = id
        self.room = room
        self.starter = starter
        self.previous = previous
        self.writer = writer
        self.startedAt = startedAt
        self.endedAt = endedAt
        self.reason = reason
        self.extent = extent
        self.isSettled = isSettled
    }

    package var isRunning: Bool { endedAt == nil }
}

/// How far a recording has come.
package struct RecordingExtent: Sendable, Equatable {
    package var bytes: Int64
    /// The time of its newest event, since it began.
    package var milliseconds: Int64

    package init(bytes: Int64 = 0, milliseconds: Int64 = 0) {
        self.bytes = bytes
        self.milliseconds = milliseconds
    }
}

/// Why a recording has ended.
package enum RecordingEnd: String, Sendable, CaseIterable {
    /// A member has stopped it.
    case stopped
    /// Everybody has left the room.
    case empty
    /// The room was closed.
    case closed
    /// The file has the size that it may have.
    case size
    /// The file could not be written.
    case storage
    /// The room's home has ended, or was lost.
    case interrupted
}

/// How many recordings there may be.
package struct RecordingBounds: Sendable, Equatable {
    package var countMax = 1_000
    package var bytesMax: Int64 = 10 << 30
    package var secondsMax: Int64 = 30 * 86_400

    package init() {}
}
