import Recorder
import Store

extension ServerConfiguration {
    /// The directory of recordings; nil where there is no place for them.
    package var recordingDirectory: String? {
        recordingsDir ?? (clusterNode == nil ? data : mediaDirectory).map { $0 + "/recordings" }
    }

    /// Whether the server writes recordings, if it has a store.
    var writesRecordings: Bool { recordings && recordingDirectory != nil }

    package var recordingLimits: RecordingLimits {
        var limits = RecordingLimits()
        limits.fileBytesMax = recordingSizeMax
        limits.kept.countMax = recordingsMax
        limits.kept.bytesMax = Int64(recordingsSizeMax)
        limits.kept.secondsMax = Int64(recordingsAgeMax.wholeMilliseconds / 1_000)
        return limits
    }
}
