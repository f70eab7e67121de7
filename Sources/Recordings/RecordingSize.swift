import Glibc

/// How much of a file is a whole recording.
package struct RecordingSize: Equatable, Sendable {
    /// The length up to the last whole block.
    package var byteCount = 0
    /// The time of the newest line.
    package var milliseconds: Int64 = 0

    /// Goes over the blocks of a file, and reads the last.
    ///
    /// - Parameter cutsOff: whether to remove what follows the last whole block. Nobody may be writing then.
    package static func measure(_ path: String, cutsOff: Bool) throws(RecordingFault) -> RecordingSize {
        let descriptor = open(path, (cutsOff ? O_RDWR : O_RDONLY) | O_CLOEXEC | O_NOFOLLOW)
        guard descriptor >= 0 else { throw .file(path, errno) }
        defer { close(descriptor) }
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { throw .file(path, errno) }
        let end = Int(status.st_size)
        var size = RecordingSize()
        var last = 0..<0
        while let count = RecordingBlock.byteCount(
            head: read(RecordingBlock.headByteCount, at: size.byteCount, of: descriptor)[...]),
            size.byteCount + count <= end
        {
            last = size.byteCount..<size.byteCount + count
            size.byteCount = last.upperBound
        }
        let block = read(last.count, at: last.lowerBound, of: descriptor)
        if block.count == last.count, let content = RecordingBlock.unpacked(block),
            let line = content.split(separator: UInt8(ascii: "\n")).last.flatMap({ RecordingLine(Array($0)) })
        {
            size.milliseconds = line.time
        }
        if cutsOff, size.byteCount < end, ftruncate(descriptor, off_t(size.byteCount)) != 0 { throw .file(path, errno) }
        return size
    }

    /// So many bytes, or fewer at the end of the file.
    private static func read(_ count: Int, at place: Int, of descriptor: Int32) -> [UInt8] {
        [UInt8](unsafeUninitializedCapacity: count) { buffer, done in
            while done < count {
                let got = pread(descriptor, buffer.baseAddress.map { $0 + done }, count - done, off_t(place + done))
                if got < 0, errno == EINTR { continue }
                guard got > 0 else { return }
                done += got
            }
        }
    }
}
