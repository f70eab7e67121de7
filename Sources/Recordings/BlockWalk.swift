import Glibc

/// Goes over the blocks of a file by the lengths in their heads.
struct BlockWalk {
    private let path: String
    private let descriptor: Int32
    /// The length of the file when the walk began.
    let end: Int
    /// Where the next block begins.
    private(set) var place: Int

    /// - Parameters:
    ///   - path: for errors.
    ///   - place: where a block begins, or the file ends. Past its end the walk begins at the first block.
    init(_ path: String, _ descriptor: Int32, from place: Int = 0) throws(RecordingFault) {
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { throw .file(path, errno) }
        (self.path, self.descriptor) = (path, descriptor)
        end = Int(status.st_size)
        self.place = place <= end ? place : 0
    }

    /// The place of the next whole block; nil where there is none.
    mutating func next() throws(RecordingFault) -> Range<Int>? {
        let head = try bytes(place..<place + RecordingBlock.headByteCount)
        guard let count = RecordingBlock.byteCount(head: head[...]), place + count <= end else { return nil }
        defer { place += count }
        return place..<place + count
    }

    /// The last line of a block; nil when the block is damaged.
    func newestLine(in block: Range<Int>) throws(RecordingFault) -> RecordingLine? {
        let bytes = try bytes(block)
        guard bytes.count == block.count, let content = RecordingBlock.unpacked(bytes) else { return nil }
        return content.split(separator: UInt8(ascii: "\n")).last.flatMap { RecordingLine(Array($0)) }
    }

    /// These bytes, or fewer at the end of the file.
    func bytes(_ range: Range<Int>) throws(RecordingFault) -> [UInt8] {
        try FileBytes.read(range, of: descriptor, path)
    }
}
