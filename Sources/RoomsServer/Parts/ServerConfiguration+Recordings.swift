import API
import Board
import Buckets
import Configuration
import Logging
import Recorder
import Recordings
import Store
import Threads
import Transport

extension ServerConfiguration {
    /// What records rooms; nil where none are recorded.
    func recordingLibrary(
        _ store: (any ServerStore)?, node: ClusterNode?, _ logger: Logger
    ) throws(TransportError) -> RecordingLibrary? {
        guard recordings, let store, let directory = recordingDirectory else { return nil }
        let folder: RecordingFolder
        do throws(RecordingFault) {
            folder = try RecordingFolder(directory, freeBytesMin: mediaFreeMin)
        } catch {
            throw TransportError(description: "recordings: \(error)")
        }
        return try RecordingLibrary(
            folder, store, writer: node ?? ClusterNode(id: 0, boot: Clock.unixMilliseconds()),
            depot: recordingsDir == nil ? bucket.map(BucketRecordings.init) : nil, limits: recordingLimits,
            patterns: recordRooms.map(RoomPattern.init)
        ) { logger.error("recording", ["reason": $0]) }
    }

    func service(of library: RecordingLibrary?, beside media: MediaService?) -> RecordingService? {
        library.map { RecordingService($0, beside: media, downloadsMax: downloadsMax) }
    }
}

extension ServerConfiguration {
    /// The board's page; nil on a server without it.
    func board(_ media: MediaService?, _ recordings: RecordingLibrary?) -> Board? {
        boardFacts(takesUploads: media?.hasWorker ?? false, recordsRooms: recordings != nil).map(Board.init)
    }
}
