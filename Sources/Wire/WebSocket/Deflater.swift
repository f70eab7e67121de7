import CSystem

/// A zlib stream that compresses messages (RFC 7692, 7.2.1).
final class Deflater {
    /// zlib keeps a pointer back to its stream, which must therefore never move.
    private let stream: UnsafeMutablePointer<z_stream>

    /// zlib cannot make raw streams with a window of 8 bits.
    static let windowBitsRange = 9...15

    init(windowBits: Int, level: Int32) {
        precondition(Self.windowBitsRange.contains(windowBits), "zlib's raw windows have 9 to 15 bits")
        stream = .allocate(capacity: 1)
        stream.initialize(to: z_stream())
        let size = Int32(MemoryLayout<z_stream>.size)
        let memoryLevel: Int32 = 8
        let status = deflateInit2_(
            stream, level, Z_DEFLATED, Int32(-windowBits), memoryLevel, Z_DEFAULT_STRATEGY, ZLIB_VERSION, size)
        precondition(status == Z_OK, "deflateInit2: \(status)")
    }

    deinit {
        deflateEnd(stream)
        stream.deallocate()
    }

    func reset() {
        deflateReset(stream)
    }

    /// Appends the compressed form of `message` to `output`, without the tail that the peer adds again.
    func deflate(
        _ message: Span<UInt8>, scratch: UnsafeMutableBufferPointer<UInt8>, into output: inout [UInt8]
    ) {
        let start = output.count
        message.withUnsafeBufferPointer { input in
            var rest = input[...]
            repeat {
                let piece = rest.prefix(Int(Int32.max))
                rest = rest.dropFirst(piece.count)
                let flush = rest.isEmpty ? Z_SYNC_FLUSH : Z_NO_FLUSH
                feed(UnsafeBufferPointer(rebasing: piece), flush: flush, scratch: scratch, into: &output)
            } while !rest.isEmpty
        }
        if output.count >= start + 4 {
            output.removeLast(4)
        } else {
            // zlib writes nothing when there is no new input: an empty message, by RFC 7692, 7.2.3.6.
            output.append(0x00)
        }
    }

    private func feed(
        _ input: UnsafeBufferPointer<UInt8>, flush: Int32, scratch: UnsafeMutableBufferPointer<UInt8>,
        into output: inout [UInt8]
    ) {
        stream.pointee.next_in = UnsafeMutablePointer(mutating: input.baseAddress)
        stream.pointee.avail_in = UInt32(input.count)
        repeat {
            stream.pointee.next_out = scratch.baseAddress
            stream.pointee.avail_out = UInt32(scratch.count)
            let status = CSystem.deflate(stream, flush)
            precondition(status == Z_OK || status == Z_BUF_ERROR, "deflate: \(status)")
            output.append(contentsOf: scratch[..<(scratch.count - Int(stream.pointee.avail_out))])
        } while stream.pointee.avail_out == 0
    }
}
