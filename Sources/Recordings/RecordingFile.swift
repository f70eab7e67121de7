import Glibc
import Wire

/// A recording that is being written. It belongs to one thread at a time.
///
/// Only whole blocks are in the file, except after a loss of power or a kill, which may cut the last one off.
package final class RecordingFile {
    /// A block is written when its lines have so many bytes.
    private static let blockBytes = 64 << 10

    package let path: String
    private let bytesMax: Int
    private var descriptor: Int32
    private var lines: [UInt8] = []
    package private(set) var byteCount = 0
    /// The time of the newest line in the file.
    package private(set) var milliseconds: Int64 = 0
    private var newest: Int64 = 0
    /// Whether the next block would have made the file larger than it may be. No more is written.
    package private(set) var isFull = false

    /// Makes the file, which must not be there.
    package init(path: String, head: RecordingHead, bytesMax: Int) throws(RecordingFault) {
        self.path = path
        self.bytesMax = bytesMax
        descriptor = open(path, O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, 0o640)
        guard descriptor >= 0 else { throw .file(path, errno) }
        head.line.append(to: &lines)
    }

    deinit {
        close()
    }

    /// A line that cannot be made clean is left out.
    package func append(_ line: RecordingLine) throws(RecordingFault) {
        // The head is a block of its own, so that readers have it without the state of a room.
        if byteCount == 0 { try flush() }
        guard !isFull, let line = line.clean else { return }
        newest = line.time
        line.append(to: &lines)
        if lines.count >= Self.blockBytes { try flush() }
    }

    /// Writes what waits as a block.
    package func flush() throws(RecordingFault) {
        guard !lines.isEmpty, !isFull else { return }
        let block = RecordingBlock.packed(lines)
        guard lines.count <= RecordingBlock.bytesMax, byteCount + block.count <= bytesMax else {
            isFull = true
            return
        }
        try write(block)
        byteCount += block.count
        milliseconds = newest
        lines.removeAll(keepingCapacity: true)
    }

    private func write(_ block: [UInt8]) throws(RecordingFault) {
        var rest = block[...]
        var place = byteCount
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { pwrite(descriptor, $0.baseAddress, $0.count, off_t(place)) }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else {
                let fault = errno
                // A disk that is full has taken a part.
                _ = ftruncate(descriptor, off_t(byteCount))
                isFull = true
                throw .file(path, fault)
            }
            rest = rest.dropFirst(count)
            place += count
        }
    }

    /// Writes what waits, so that it outlives a loss of power.
    package func finish() throws(RecordingFault) {
        try flush()
        guard fdatasync(descriptor) == 0 else { throw .file(path, errno) }
    }

    /// There was nothing to record.
    package func remove() {
        close()
        unlink(path)
    }

    /// What waits is not written.
    package func close() {
        if descriptor >= 0 { Glibc.close(descriptor) }
        descriptor = -1
    }
}
