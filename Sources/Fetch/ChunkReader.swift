import Wire

/// Takes a chunked body apart, whatever pieces it comes in.
struct ChunkReader {
    private enum State {
        /// In the line with the size; of the line's other parts only the length counts.
        case size(lineBytes: Int, isInExtension: Bool)
        case content
        /// The line end after a chunk's content, of which this many bytes have come.
        case contentEnd(Int)
        /// In the lines after the last chunk; `lineBytes` without the line end.
        case trailer(lineBytes: Int, totalBytes: Int)
        case done
    }

    private static let lineBytesMax = 256
    private static let trailerBytesMax = 4_096

    private(set) var content: [UInt8] = []
    private var state = State.size(lineBytes: 0, isInExtension: false)
    private var remaining = 0
    private var digits = 0
    private var last: UInt8 = 0

    /// Whether that was all.
    mutating func take(_ input: Span<UInt8>, bodyBytesMax: Int) throws(FetchFault) -> Bool {
        var index = 0
        while index < input.count {
            if case .content = state {
                let count = min(remaining, input.count - index)
                input.extracting(index..<index + count).withUnsafeBufferPointer { content.append(contentsOf: $0) }
                index += count
                remaining -= count
                if remaining == 0 { state = .contentEnd(0) }
                continue
            }
            let byte = input[index]
            index += 1
            try take(byte, bodyBytesMax)
            last = byte
        }
        if case .done = state { return true }
        return false
    }

    private mutating func take(_ byte: UInt8, _ bodyBytesMax: Int) throws(FetchFault) {
        switch state {
        case .size(let lineBytes, let isInExtension):
            guard lineBytes < Self.lineBytesMax else { throw FetchFault("the size of a chunk is too long") }
            if byte == ASCII.lineFeed { return try endSizeLine(bodyBytesMax) }
            guard last != ASCII.carriageReturn || lineBytes == 0 else { throw Self.brokenLine }
            if !isInExtension, let value = ASCII.hexValue(byte) {
                guard digits < 8 else { throw FetchFault("the size of a chunk is out of bounds") }
                remaining = remaining << 4 | Int(value)
                digits += 1
                state = .size(lineBytes: lineBytes + 1, isInExtension: false)
            } else {
                guard isInExtension || byte == ASCII.carriageReturn || byte == UInt8(ascii: ";") || ASCII.isBlank(byte)
                else { throw FetchFault("the size of a chunk is no number") }
                state = .size(lineBytes: lineBytes + 1, isInExtension: true)
            }
        case .contentEnd(0):
            guard byte == ASCII.carriageReturn else { throw Self.brokenLine }
            state = .contentEnd(1)
        case .contentEnd:
            guard byte == ASCII.lineFeed else { throw Self.brokenLine }
            beginSizeLine()
        case .trailer(let lineBytes, let totalBytes):
            try takeTrailer(byte, lineBytes, totalBytes)
        case .content: break
        case .done: throw FetchFault("something follows the answer")
        }
    }

    private mutating func beginSizeLine() {
        state = .size(lineBytes: 0, isInExtension: false)
        remaining = 0
        digits = 0
    }

    private mutating func endSizeLine(_ bodyBytesMax: Int) throws(FetchFault) {
        guard last == ASCII.carriageReturn, digits > 0 else { throw Self.brokenLine }
        guard remaining <= bodyBytesMax - content.count else {
            throw FetchFault("the answer is larger than \(bodyBytesMax) bytes")
        }
        state = remaining == 0 ? .trailer(lineBytes: 0, totalBytes: 0) : .content
    }

    private mutating func takeTrailer(_ byte: UInt8, _ lineBytes: Int, _ totalBytes: Int) throws(FetchFault) {
        guard totalBytes < Self.trailerBytesMax else { throw FetchFault("the end of the answer is too long") }
        switch byte {
        case ASCII.carriageReturn:
            state = .trailer(lineBytes: lineBytes, totalBytes: totalBytes + 1)
        case ASCII.lineFeed:
            guard last == ASCII.carriageReturn else { throw Self.brokenLine }
            state = lineBytes == 0 ? .done : .trailer(lineBytes: 0, totalBytes: totalBytes + 1)
        default:
            guard last != ASCII.carriageReturn else { throw Self.brokenLine }
            state = .trailer(lineBytes: lineBytes + 1, totalBytes: totalBytes + 1)
        }
    }

    private static let brokenLine = FetchFault("a line of the answer's chunks does not end in CRLF")
}
