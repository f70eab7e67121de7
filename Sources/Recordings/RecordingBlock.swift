import Wire

/// A piece of a recording that can be read by itself: a member of gzip (RFC 1952) whose extra field has its length.
///
/// All blocks of a file one after another are a file of gzip, so `zcat` shows a recording. The lengths let readers go from
/// block to block without unpacking them, and browsers unpack one at a time.
package enum RecordingBlock {
    /// The bytes before the compressed content: the head of gzip, and the extra field.
    package static let headByteCount = 20
    /// A block of more bytes, compressed or not, is refused. The state of a room is one line, and a line is in one block.
    package static let bytesMax = 128 << 20

    /// `RR`, and the length of what follows in the subfield.
    private static let subfield: [UInt8] = [0x52, 0x52, 4, 0]
    private static let gzipHeadByteCount = 10

    package static func packed(_ content: [UInt8]) -> [UInt8] {
        let compressed = Gzip.compressed(content)
        var bytes: [UInt8] = []
        bytes.reserveCapacity(compressed.count + headByteCount - gzipHeadByteCount)
        bytes += compressed[..<gzipHeadByteCount]
        // The flag of an extra field.
        bytes[3] |= 4
        bytes += [8, 0] + subfield
        let count = compressed.count + headByteCount - gzipHeadByteCount
        for shift in [0, 8, 16, 24] { bytes.append(UInt8(truncatingIfNeeded: count >> shift)) }
        bytes += compressed[gzipHeadByteCount...]
        return bytes
    }

    /// The length of a whole block by its head; nil when these bytes do not begin one.
    package static func byteCount(head: ArraySlice<UInt8>) -> Int? {
        let head = Array(head)
        guard head.count >= headByteCount, head[0] == 0x1f, head[1] == 0x8b, head[2] == 8, head[3] == 4,
            head[10] == 8, head[11] == 0, Array(head[12..<16]) == subfield
        else { return nil }
        let count = (0..<4).reduce(0) { $0 | Int(head[16 + $1]) << ($1 * 8) }
        return (headByteCount + 8...bytesMax).contains(count) ? count : nil
    }

    /// The content of a whole block; nil when it is damaged.
    package static func unpacked(_ block: [UInt8]) -> [UInt8]? {
        let stream = GunzipStream(bytesMax: bytesMax, ratioMax: nil)
        return try? block.withUnsafeBytes { bytes throws(GunzipStream.Fault) in
            try stream.take(bytes)
            return try stream.finish()
        }
    }
}
