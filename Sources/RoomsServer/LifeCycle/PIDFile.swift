import Glibc
import Logging

/// The process id in a file, for programs that send signals.
struct PIDFile {
    private let path: String

    init(_ path: String, _ logger: Logger) {
        self.path = path
        let descriptor = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o644)
        guard descriptor >= 0 else {
            logger.warning("no pid file", ["path": path, "reason": String(cString: strerror(errno))])
            return
        }
        var text = "\(getpid())\n"
        text.withUTF8 { _ = write(descriptor, $0.baseAddress, $0.count) }
        close(descriptor)
    }

    func remove() {
        unlink(path)
    }
}
