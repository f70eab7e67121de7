import API
import Configuration
import Logging
import Media

extension ServerConfiguration {
    /// Makes ready for uploads; nil where none are kept.
    func mediaService(_ worker: UploadWorker, _ logger: Logger) throws(MediaError) -> MediaService? {
        guard let directory = mediaDirectory else { return nil }
        return try MediaService(
            directory: directory, executable: worker.executable, limits: mediaLimits, downloadsMax: downloadsMax
        ) { reason in
            logger.error("a file could not be kept", ["reason": reason])
        }
    }
}
