import Glibc

/// Reads the lines of a recording, block by block, up to the last whole block of a file that was cut off.
package final class RecordingReader {
    /// An id of a room is short.
    private static let headBlockBytesMax = 4_096

    package let path: String
    /// The first line.
    package private(set) var head: RecordingHead
    /// Whether the file ends within a block.
    package private(set) var isCutOff = false
    private let descriptor: Int32
    private let byteCount: Int
    private var place = 0
    private var lines: ArraySlice<RecordingLine> = []

    package convenience init(path: String) throws(RecordingFault) {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw .file(path, errno) }
        try self.init(path: path, descriptor)
    }

    /// - Parameters:
    ///   - path: for errors.
    ///   - descriptor: closed with the reader.
    ///   - byteCount: where a block ends; what follows is not read.
    package init(path: String, _ descriptor: Int32, byteCount: Int = .max) throws(RecordingFault) {
        (self.path, self.descriptor, self.byteCount) = (path, descriptor, byteCount)
        head = RecordingHead(roomID: "", startedAt: 0)
        do throws(RecordingFault) {
            try readBlock()
        } catch .damaged {
            throw .notARecording(path)
        }
        guard let first = lines.first, let head = RecordingHead(first) else { throw .notARecording(path) }
        self.head = head
    }

    deinit {
        close(descriptor)
    }

    /// The next line; nil after the last. The first one is the head.
    package func next() throws(RecordingFault) -> RecordingLine? {
        while lines.isEmpty {
            guard try readBlock() else { return nil }
        }
        return lines.removeFirst()
    }

    /// Whether an open file says of itself that its lines are clean; true for one that has none.
    package static func isClean(_ path: String, _ descriptor: Int32) throws(RecordingFault) -> Bool {
        let bytes = try FileBytes.read(0..<headBlockBytesMax, of: descriptor, path)
        guard !bytes.isEmpty else { return true }
        // A head that says so is a block of its own.
        guard let count = RecordingBlock.byteCount(head: bytes.prefix(RecordingBlock.headByteCount)),
            count <= bytes.count, let content = RecordingBlock.unpacked(Array(bytes[..<count])),
            let line = RecordingLine.all(in: content)?.first
        else { return false }
        return RecordingHead(line)?.isClean ?? false
    }

    /// - Returns: false at the end.
    @discardableResult
    private func readBlock() throws(RecordingFault) -> Bool {
        guard place < byteCount else { return false }
        let head = try FileBytes.read(place..<place + RecordingBlock.headByteCount, of: descriptor, path)
        guard head.count == RecordingBlock.headByteCount else {
            isCutOff = !head.isEmpty
            return false
        }
        guard let count = RecordingBlock.byteCount(head: head[...]) else { throw .damaged(path, at: place) }
        let block = try FileBytes.read(place..<place + count, of: descriptor, path)
        guard block.count == count else {
            isCutOff = true
            return false
        }
        guard let content = RecordingBlock.unpacked(block), let read = RecordingLine.all(in: content) else {
            throw .damaged(path, at: place)
        }
        lines = read[...]
        place += count
        return true
    }
}
