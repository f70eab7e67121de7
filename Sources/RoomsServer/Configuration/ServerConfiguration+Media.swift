import API
import Board
import Media

extension ServerConfiguration {
    /// Where uploaded files are; nil where none are kept.
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
        limits.diskFreeBytesMin = mediaFreeMin
        return limits
    }

    /// What the board is told of uploads; nil where there are none.
    var boardUploads: Board.Facts.Uploads? {
        guard data != nil, MediaWorker.installedExecutable != nil else { return nil }
        return Board.Facts.Uploads(photoBytesMax: photoBytesMax, audioBytesMax: audioBytesMax)
    }

    /// Makes ready for uploads; nil where none are kept.
    func mediaService(_ logger: Logger) throws(MediaError) -> MediaService? {
        guard let directory = mediaDirectory else { return nil }
        let executable = MediaWorker.installedExecutable
        if executable == nil {
            logger.warning("no uploads", ["reason": "the program rooms-media is not beside this one"])
        }
        return try MediaService(directory: directory, executable: executable, limits: mediaLimits) { reason in
            logger.error("a file could not be kept", ["reason": reason])
        }
    }
}
