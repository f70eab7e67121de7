import Glibc

/// Reads the lines of a recording, block by block, up to the last whole block of a file that was cut off.
package final class RecordingReader {
    package let path: String
    /// The first line.
    package private(set) var head: RecordingHead
    /// Whether the file ends within a block.
    package private(set) var isCutOff = false
    private var descriptor: Int32
    private var place = 0
    private var lines: ArraySlice<RecordingLine> = []

    package init(path: String) throws(RecordingFault) {
        self.path = path
        head = RecordingHead(roomID: "", startedAt: 0)
        descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw .file(path, errno) }
        do throws(RecordingFault) {
            try readBlock()
        } catch .damaged {
            throw .notARecording(path)
        }
        guard let first = lines.first, let head = RecordingHead(first) else { throw .notARecording(path) }
        self.head = head
    }

    deinit {
        if descriptor >= 0 { close(descriptor) }
    }

    /// The next line; nil after the last. The first one is the head.
    package func next() throws(RecordingFault) -> RecordingLine? {
        while lines.isEmpty {
            guard try readBlock() else { return nil }
        }
        return lines.removeFirst()
    }

    /// - Returns: false at the end.
    @discardableResult
    private func readBlock() throws(RecordingFault) -> Bool {
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
