import Glibc
import Threads

/// Where log lines go: whole lines, one at a time.
package struct LogOutput: Sendable {
    package let write: @Sendable ([UInt8]) -> Void

    package init(write: @escaping @Sendable ([UInt8]) -> Void) {
        self.write = write
    }

    /// Each line is one `write(2)`, so that lines of several threads never mix.
    package static let standardError = LogOutput(descriptor: STDERR_FILENO)

    init(descriptor: Int32) {
        let writer = Locked(DescriptorWriter(descriptor: descriptor))
        self.init { line in
            writer.withLock { $0.write(line) }
        }
    }
}

/// Writes to a descriptor that may be blocking or not. When its reader has stopped, lines are dropped and the server goes
/// on. Dropped lines are counted, and the count is logged as soon as there is space again.
private struct DescriptorWriter {
    let descriptor: Int32
    private var linesLost = 0

    init(descriptor: Int32) {
        self.descriptor = descriptor
    }

    mutating func write(_ line: [UInt8]) {
        if linesLost > 0 {
            let logger = LogLine(
                time: .now(), level: .warning, message: "log lines were lost", metadata: [("lines", linesLost)])
            guard isWritten(logger.bytes(.json)) else {
                linesLost += 1
                return
            }
            linesLost = 0
        }
        if !isWritten(line) { linesLost += 1 }
    }

    private func isWritten(_ line: [UInt8]) -> Bool {
        var offset = 0
        while offset < line.count {
            let written = line.withUnsafeBytes { bytes in
                Glibc.write(descriptor, bytes.baseAddress?.advanced(by: offset), bytes.count - offset)
            }
            if written > 0 {
                offset += written
            } else if errno == EAGAIN, offset > 0, isReady() {
                // Half a line is out: the rest is worth a short wait.
                continue
            } else if errno != EINTR {
                return false
            }
        }
        return true
    }

    private func isReady() -> Bool {
        var wanted = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
        return poll(&wanted, 1, 100) > 0
    }
}
