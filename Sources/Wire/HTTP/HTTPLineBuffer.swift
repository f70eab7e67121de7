import Glibc

/// Collects lines that end in CRLF out of input that comes in pieces. The bytes of all lines since the last
/// `take` or `drop` stay together, so that a head can be kept as one array.
struct HTTPLineBuffer {
    private(set) var bytes: [UInt8] = []
    private var lineStart = 0

    var isEmpty: Bool { bytes.isEmpty }

    /// The next line without its line end, as a range of `bytes`; nil when the input ended before it did. Never
    /// holds more than `bytesMax`, and throws `overflow` at the byte that would be one too many, wherever the
    /// input was split.
    mutating func nextLine(
        _ input: Span<UInt8>, offset: inout Int, bytesMax: Int, overflow: @autoclosure () -> HTTPParseError
    ) throws(HTTPParseError) -> Range<Int>? {
        let room = max(0, bytesMax - bytes.count)
        let available = input.count - offset
        let limit = offset + min(room, available)
        guard let end = Self.firstLineFeed(input, offset..<limit) else {
            guard available <= room else { throw overflow() }
            append(input, offset..<limit)
            offset = limit
            return nil
        }
        append(input, offset..<end + 1)
        offset = end + 1
        let lineEnd = bytes.count - 2
        guard lineEnd >= lineStart, bytes[lineEnd] == ASCII.carriageReturn else {
            throw .badRequest("A line feed stands without its carriage return.")
        }
        defer { lineStart = bytes.count }
        return lineStart..<lineEnd
    }

    private static func firstLineFeed(_ input: Span<UInt8>, _ range: Range<Int>) -> Int? {
        input.extracting(range).withUnsafeBytes { bytes in
            guard let start = bytes.baseAddress, let found = memchr(start, Int32(ASCII.lineFeed), bytes.count) else {
                return nil
            }
            return range.lowerBound + (UnsafeRawPointer(found) - start)
        }
    }

    /// Returns the collected bytes and begins anew.
    mutating func take() -> [UInt8] {
        let taken = bytes
        bytes = []
        lineStart = 0
        return taken
    }

    /// Drops the collected bytes and keeps their memory for later lines.
    mutating func drop() {
        bytes.removeAll(keepingCapacity: true)
        lineStart = 0
    }

    private mutating func append(_ input: Span<UInt8>, _ range: Range<Int>) {
        // A guess that holds most heads in one allocation, if it lies in one piece of input.
        if bytes.isEmpty { bytes.reserveCapacity(min(input.count - range.lowerBound, 1024)) }
        input.extracting(range).withUnsafeBufferPointer { bytes.append(contentsOf: $0) }
    }
}
