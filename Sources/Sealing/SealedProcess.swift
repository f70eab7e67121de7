import CSeal
import Glibc
import Media

/// A program that processes one file. Descriptor 0 is the file, 1 takes the report, 3 and up take the results.
///
/// It limits itself before it reads a byte, and seals itself off from everything but these descriptors. If it cannot,
/// it reads nothing, unless it is told to.
package enum SealedProcess {
    /// Reads what is to be done and sets the bounds of the process.
    package static func begin(program: String) -> (MediaTask.Bounds, MediaTask) {
        guard let (bounds, task) = MediaTask.read(Array(CommandLine.arguments.dropFirst())) else {
            _ = write(Array("\(program) is started by rooms, for one uploaded file each.\n".utf8), to: 2)
            exit(2)
        }
        var limits = rooms_process_limits(
            cpu_seconds: bounds.seconds, memory_bytes: bounds.memoryBytes, file_bytes: bounds.fileBytes)
        rooms_limit_process(&limits)
        return (bounds, task)
    }

    /// Seals the process, when its libraries are loaded. Ends it where that is not possible and not waived, and after a trial.
    package static func seal(_ bounds: MediaTask.Bounds, _ task: MediaTask) {
        let isSealed = rooms_seal_process()
        if task == .probe { report(isSealed ? "ok" : "unsealed") }
        if !isSealed, !bounds.mayBeUnsealed { report("unsealed") }
    }

    package static func write(_ bytes: [UInt8], to descriptor: Int32) -> Bool {
        var count = 0
        while count < bytes.count {
            let written = bytes.withUnsafeBytes {
                Glibc.write(descriptor, $0.baseAddress?.advanced(by: count), $0.count - count)
            }
            if written < 0, errno == EINTR { continue }
            guard written > 0 else { return false }
            count += written
        }
        return true
    }

    /// Libraries do not tell why a write failed; a page that cannot be written tells.
    package static func isDiskFull(_ descriptor: Int32) -> Bool {
        let page = [UInt8](repeating: 0, count: 4096)
        return Glibc.write(descriptor, page, page.count) < 0 && (errno == ENOSPC || errno == EDQUOT)
    }

    package static func report(_ line: String) -> Never {
        _ = write(Array((line + "\n").utf8), to: 1)
        // Skips the clean-up of libraries, which is not needed any more.
        _exit(0)
    }
}
