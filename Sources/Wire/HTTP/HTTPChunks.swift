/// Writes content in the chunked transfer coding.
public enum HTTPChunks {
    /// Appends one chunk. No content appends nothing, since an empty chunk would end the body.
    public static func append(_ content: Span<UInt8>, to output: inout [UInt8]) {
        guard !content.isEmpty else { return }
        appendSize(content.count, to: &output)
        output.append(contentsOf: lineEnd)
        content.withUnsafeBufferPointer { output.append(contentsOf: $0) }
        output.append(contentsOf: lineEnd)
    }

    /// Appends what ends the body.
    public static func appendLast(to output: inout [UInt8]) {
        output.append(contentsOf: last)
    }

    private static let lineEnd = Array("\r\n".utf8)
    private static let last = Array("0\r\n\r\n".utf8)

    private static func appendSize(_ size: Int, to output: inout [UInt8]) {
        var shift = (Int.bitWidth - 1 - size.leadingZeroBitCount) & ~3
        while shift >= 0 {
            let digit = UInt8(truncatingIfNeeded: size >> shift) & 15
            output.append(digit < 10 ? digit + 0x30 : digit - 10 + 0x61)
            shift -= 4
        }
    }
}
