import API
import Media

extension ServerConfiguration {
    /// The directory of uploaded files; nil on a server that keeps none.
    var mediaDirectory: String? { media ?? data.map { $0 + "/media" } }

    var mediaLimits: MediaLimits {
        var limits = MediaLimits()
        limits.avatarBytesMax = avatarBytesMax
        limits.photoBytesMax = photoBytesMax
        limits.audioBytesMax = audioBytesMax
        limits.imagePixelsMax = imagePixelsMax
        limits.workerSecondsMax = (mediaTimeMax.wholeMilliseconds + 999) / 1_000
        limits.workerMillisecondsMax = 3_000 * limits.workerSecondsMax
        limits.workerMemoryBytesMax = mediaMemoryMax
        limits.workerMayBeUnsealed = mediaUnsealed
        limits.diskFreeBytesMin = mediaFreeMin
        return limits
    }

    /// The service for uploaded files; nil on a server that keeps none.
    func mediaService(_ worker: UploadWorker, _ logger: Logger) throws(MediaError) -> MediaService? {
        guard let directory = mediaDirectory else { return nil }
        return try MediaService(
            directory: directory, executable: worker.executable, limits: mediaLimits, downloadsMax: downloadsMax
        ) { reason in
            logger.error("a file could not be kept", ["reason": reason])
        }
    }
}
