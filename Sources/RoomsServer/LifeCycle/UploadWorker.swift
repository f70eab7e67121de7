import Configuration
import Logging
import Media

/// The program that works on uploaded files. The server tries it once at start; the log says why it cannot be used.
///
/// The trial loads libvips, which takes some 50 ms. So a successor makes it before it takes over.
package struct UploadWorker: Sendable {
    /// Nil on a server that takes no uploads.
    let executable: String?

    init(_ configuration: ServerConfiguration, _ logger: Logger) {
        executable = Self.find(configuration, logger)
    }

    private static func find(_ configuration: ServerConfiguration, _ logger: Logger) -> String? {
        guard configuration.mediaDirectory != nil else { return nil }
        guard let executable = MediaWorker.installedExecutable else {
            logger.warning("no uploads", ["reason": "the program rooms-media is not beside this one"])
            return nil
        }
        do throws(MediaError) {
            let worker = MediaWorker(executable: executable, limits: configuration.mediaLimits)
            guard try !worker.canSeal() else { return executable }
        } catch {
            // The next attempt may succeed, so uploads are accepted. Each one gets its own answer.
            logger.error("rooms-media does not work", ["reason": "\(error)"])
            return executable
        }
        let reason = "this system does not let rooms-media seal itself off (seccomp)"
        guard configuration.mediaUnsealed else {
            logger.error("no uploads", ["reason": reason, "right": "allow seccomp(2), or media-unsealed = on"])
            return nil
        }
        logger.warning("uploads are worked on without a seal", ["reason": reason])
        return executable
    }
}
