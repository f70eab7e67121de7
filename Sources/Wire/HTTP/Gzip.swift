import CSystem

/// Compresses contents for HTTP (RFC 1952).
public enum Gzip {
    /// - Parameter level: zlib's: 1 is fast, 9 is small.
    public static func compressed(_ bytes: [UInt8], level: Int32 = 6) -> [UInt8] {
        // zlib keeps a pointer back to its stream, which must therefore never move.
        let stream = UnsafeMutablePointer<z_stream>.allocate(capacity: 1)
        stream.initialize(to: z_stream())
        // 16 more than the window's bits stand for the form of gzip.
        let status = deflateInit2_(
            stream, level, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY, ZLIB_VERSION,
            Int32(MemoryLayout<z_stream>.size))
        precondition(status == Z_OK, "deflateInit2: \(status)")
        defer {
            deflateEnd(stream)
            stream.deallocate()
        }
        let bound = Int(deflateBound(stream, UInt(bytes.count)))
        return [UInt8](unsafeUninitializedCapacity: bound) { output, count in
            bytes.withUnsafeBufferPointer { input in
                stream.pointee.next_in = UnsafeMutablePointer(mutating: input.baseAddress)
                stream.pointee.avail_in = UInt32(clamping: input.count)
                stream.pointee.next_out = output.baseAddress
                stream.pointee.avail_out = UInt32(clamping: bound)
                let status = CSystem.deflate(stream, Z_FINISH)
                precondition(status == Z_STREAM_END, "deflate: \(status)")
                count = Int(stream.pointee.total_out)
            }
        }
    }
}

/// Turns a compressed content back while it arrives. A small content cannot become a large one: past its bounds it is refused
/// before more memory is taken.
public final class GunzipStream {
    public enum Fault: Error, Equatable, Sendable {
        /// It is not gzip, or is damaged, or something follows it.
        case malformed
        /// It becomes larger than it may be.
        case tooLarge
    }

    /// How many times as large as what has arrived the content may be. Texts shrink to a fifth or a twentieth.
    public static let ratioMax = 100
    /// Contents below this may shrink further: their beginning is repeated often.
    private static let uncheckedBytes = 16 << 10
    private static let scratchBytes = 16 << 10

    /// zlib keeps a pointer back to its stream, which must therefore never move.
    private let stream: UnsafeMutablePointer<z_stream>
    private let bytesMax: Int
    private let ratioMax: Int?
    private var isDone = false
    private var received = 0
    public private(set) var content: [UInt8] = []

    /// - Parameter ratioMax: nil for contents of files, which may shrink as far as they can.
    public init(bytesMax: Int, ratioMax: Int? = GunzipStream.ratioMax) {
        self.bytesMax = bytesMax
        self.ratioMax = ratioMax
        stream = .allocate(capacity: 1)
        stream.initialize(to: z_stream())
        let status = inflateInit2_(stream, 15 + 16, ZLIB_VERSION, Int32(MemoryLayout<z_stream>.size))
        precondition(status == Z_OK, "inflateInit2: \(status)")
    }

    deinit {
        inflateEnd(stream)
        stream.deallocate()
    }

    /// Takes the next bytes of the compressed content.
    public func take(_ bytes: UnsafeRawBufferPointer) throws(Fault) {
        guard !bytes.isEmpty else { return }
        guard !isDone, let count = UInt32(exactly: bytes.count) else { throw .malformed }
        received += bytes.count
        stream.pointee.next_in = UnsafeMutablePointer(
            mutating: bytes.bindMemory(to: UInt8.self).baseAddress)
        stream.pointee.avail_in = count
        try inflateAll()
        if isDone, stream.pointee.avail_in > 0 { throw .malformed }
    }

    private func inflateAll() throws(Fault) {
        var scratch = [UInt8](repeating: 0, count: Self.scratchBytes)
        repeat {
            let (status, produced) = scratch.withUnsafeMutableBufferPointer { output in
                stream.pointee.next_out = output.baseAddress
                stream.pointee.avail_out = UInt32(output.count)
                let status = CSystem.inflate(stream, Z_NO_FLUSH)
                return (status, output.count - Int(stream.pointee.avail_out))
            }
            let size = content.count + produced
            guard size <= bytesMax else { throw .tooLarge }
            if let ratioMax, size > Self.uncheckedBytes, size / ratioMax > received { throw .tooLarge }
            content += scratch[..<produced]
            switch status {
            case Z_STREAM_END:
                isDone = true
                return
            case Z_OK: break
            // Nothing is left to do with this input.
            case Z_BUF_ERROR: return
            default: throw .malformed
            }
        } while stream.pointee.avail_in > 0 || stream.pointee.avail_out == 0
    }

    /// The whole content. Throws when its end has not arrived.
    public func finish() throws(Fault) -> [UInt8] {
        guard isDone else { throw .malformed }
        return content
    }
}
