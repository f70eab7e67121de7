import CSystem

/// A zlib stream that turns compressed messages back (RFC 7692, 7.2.2).
final class Inflater {
    /// zlib keeps a pointer back to its stream, which must therefore never move.
    private let stream: UnsafeMutablePointer<z_stream>
    /// Whether the input just ended together with a block marked as final.
    private var isAtStreamEnd = false

    init() {
        stream = .allocate(capacity: 1)
        stream.initialize(to: z_stream())
        // The largest window reads what any smaller one wrote.
        let status = inflateInit2_(stream, -15, ZLIB_VERSION, Int32(MemoryLayout<z_stream>.size))
        precondition(status == Z_OK, "inflateInit2: \(status)")
    }

    deinit {
        inflateEnd(stream)
        stream.deallocate()
    }

    func reset() {
        inflateReset(stream)
    }

    /// The message in `compressed`. Output in excess of `bytesMax` is noticed piece by piece, so that a small message
    /// cannot make a large one be stored.
    func inflate(
        _ compressed: Span<UInt8>, bytesMax: Int, scratch: UnsafeMutableBufferPointer<UInt8>
    ) throws(WebSocketError) -> [UInt8] {
        var message: [UInt8] = []
        // Some senders flush nothing at all for an empty message.
        if compressed.isEmpty { return message }
        try compressed.withUnsafeBufferPointer { input throws(WebSocketError) in
            try feed(input, into: &message, bytesMax: bytesMax, scratch: scratch)
        }
        // A sender that ends with a final block should add an empty one and cut off its tail. Without it the message is
        // still complete.
        if isAtStreamEnd { return message }
        // The tail that every sender cuts off.
        let tail: InlineArray<4, UInt8> = [0x00, 0x00, 0xFF, 0xFF]
        try tail.span.withUnsafeBufferPointer { input throws(WebSocketError) in
            try feed(input, into: &message, bytesMax: bytesMax, scratch: scratch)
        }
        guard isAtBlockBoundary else { throw .invalidData("compressed message is cut short") }
        return message
    }

    private func feed(
        _ input: UnsafeBufferPointer<UInt8>, into message: inout [UInt8], bytesMax: Int,
        scratch: UnsafeMutableBufferPointer<UInt8>
    ) throws(WebSocketError) {
        guard let inputCount = UInt32(exactly: input.count) else { throw .messageTooBig("message too big") }
        stream.pointee.next_in = UnsafeMutablePointer(mutating: input.baseAddress)
        stream.pointee.avail_in = inputCount
        isAtStreamEnd = false
        repeat {
            stream.pointee.next_out = scratch.baseAddress
            stream.pointee.avail_out = UInt32(scratch.count)
            let status = CSystem.inflate(stream, Z_SYNC_FLUSH)
            let produced = scratch.count - Int(stream.pointee.avail_out)
            guard produced <= bytesMax - message.count else { throw .messageTooBig("message too big when inflated") }
            message.append(contentsOf: scratch[..<produced])
            switch status {
            case Z_OK:
                break
            case Z_STREAM_END:
                // A final block ends a stream but not the message. Later data may refer to earlier data, so the window
                // is kept.
                inflateResetKeep(stream)
                isAtStreamEnd = stream.pointee.avail_in == 0
            case Z_BUF_ERROR:
                // Nothing left to do with this input.
                return
            default:
                throw .invalidData("compressed message is corrupted")
            }
        } while stream.pointee.avail_in > 0 || (stream.pointee.avail_out == 0 && !isAtStreamEnd)
    }

    /// zlib tells in `data_type` how many bits it has not used (low six bits), whether it is in a final block (64), and
    /// whether it waits for a block to begin (128).
    private var isAtBlockBoundary: Bool {
        stream.pointee.data_type & 0xFF == 128
    }
}
