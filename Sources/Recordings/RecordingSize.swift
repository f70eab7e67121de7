import Glibc

/// How much of a file is a whole recording.
package struct RecordingSize: Equatable, Sendable {
    /// The ends of so many newest blocks are looked at when a loss of power has damaged the last ones.
    private static let damagedBlocksMax = 256

    /// The length up to the last whole block.
    package var byteCount = 0
    /// The time of the newest line.
    package var milliseconds: Int64 = 0

    package init(byteCount: Int = 0, milliseconds: Int64 = 0) {
        (self.byteCount, self.milliseconds) = (byteCount, milliseconds)
    }

    /// Goes over the blocks of a file, and reads the last. One that cannot be read is none.
    ///
    /// - Parameter cutsOff: whether to remove what follows the last whole block. Nobody may be writing then.
    package static func measure(_ path: String, cutsOff: Bool) throws(RecordingFault) -> RecordingSize {
        let descriptor = open(path, (cutsOff ? O_RDWR : O_RDONLY) | O_CLOEXEC | O_NOFOLLOW)
        guard descriptor >= 0 else { throw .file(path, errno) }
        defer { close(descriptor) }
        var walk = try BlockWalk(path, descriptor)
        var newest: [Range<Int>] = []
        while let block = try walk.next() {
            if newest.count == damagedBlocksMax { newest.removeFirst(damagedBlocksMax / 2) }
            newest.append(block)
        }
        var size = RecordingSize()
        while let block = newest.popLast() {
            guard let line = try walk.newestLine(in: block) else { continue }
            size = RecordingSize(byteCount: block.upperBound, milliseconds: line.time)
            break
        }
        if cutsOff, size.byteCount < walk.end, ftruncate(descriptor, off_t(size.byteCount)) != 0 {
            throw .file(path, errno)
        }
        return size
    }

    /// The length up to the last whole block of a file that may be growing.
    ///
    /// - Parameters:
    ///   - path: for errors.
    ///   - place: a length up to which it is known to be whole.
    package static func wholeBytes(
        _ path: String, of descriptor: Int32, from place: Int
    ) throws(RecordingFault) -> Int {
        var walk = try BlockWalk(path, descriptor, from: place)
        while try walk.next() != nil {}
        return walk.place
    }
}
