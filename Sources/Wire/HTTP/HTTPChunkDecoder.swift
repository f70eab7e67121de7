/// Takes a chunked body apart, up to and with the line of its last chunk; the trailers behind it are lines again.
struct HTTPChunkDecoder {
    enum Step {
        case needMore
        /// Content, as a range of the input.
        case body(Range<Int>)
        /// The chunk of size zero was read.
        case last
    }

    private enum State {
        case size(digits: Int)
        /// Blanks between the size and an extension.
        case blank
        case chunkExtension
        case sizeLineFeed
        case content
        case contentReturn
        case contentLineFeed
    }

    private var state = State.size(digits: 0)
    /// The size while it is read, then the rest of the chunk.
    private var remaining = 0
    private var contentBytes = 0
    private var extensionBytes = 0

    mutating func next(
        _ input: Span<UInt8>, offset: inout Int, bodyBytesMax: Int, extensionBytesMax: Int
    ) throws(HTTPParseError) -> Step {
        while offset < input.count {
            if case .content = state {
                let range = offset..<offset + min(remaining, input.count - offset)
                offset = range.upperBound
                remaining -= range.count
                if remaining == 0 { state = .contentReturn }
                return .body(range)
            }
            let byte = input[offset]
            offset += 1
            switch state {
            case .size(let digits):
                try takeSizeByte(byte, digits: digits, bodyBytesMax: bodyBytesMax)
            case .blank, .chunkExtension:
                try takeExtensionByte(byte, extensionBytesMax: extensionBytesMax)
            case .sizeLineFeed:
                try expect(byte, ASCII.lineFeed, "A chunk's size line does not end in CRLF.")
                if remaining == 0 { return .last }
                state = .content
            case .contentReturn:
                try expect(byte, ASCII.carriageReturn, "A chunk is longer than its size says.")
                state = .contentLineFeed
            case .contentLineFeed:
                try expect(byte, ASCII.lineFeed, "A chunk does not end in CRLF.")
                state = .size(digits: 0)
            case .content:
                break
            }
        }
        return .needMore
    }

    private mutating func takeSizeByte(_ byte: UInt8, digits: Int, bodyBytesMax: Int) throws(HTTPParseError) {
        if let value = ASCII.hexValue(byte) {
            guard digits < 16, remaining <= Int.max >> 4 else { throw .badRequest("A chunk's size is out of bounds.") }
            remaining = remaining << 4 | Int(value)
            state = .size(digits: digits + 1)
            return
        }
        guard digits > 0 else { throw .badRequest("A chunk does not begin with its size in hexadecimal digits.") }
        guard remaining <= bodyBytesMax - contentBytes else { throw .contentTooLarge(bodyBytesMax) }
        contentBytes += remaining
        switch byte {
        case ASCII.carriageReturn: state = .sizeLineFeed
        case UInt8(ascii: ";"): state = .chunkExtension
        case ASCII.space, ASCII.tab: state = .blank
        default: throw .badRequest("A chunk's size has a character that is no hexadecimal digit.")
        }
    }

    private mutating func takeExtensionByte(_ byte: UInt8, extensionBytesMax: Int) throws(HTTPParseError) {
        extensionBytes += 1
        guard extensionBytes <= extensionBytesMax else { throw .badRequest("The chunk extensions are too long.") }
        if case .blank = state {
            // RFC 9112 has blanks read here, but only before an extension.
            guard !ASCII.isBlank(byte) else { return }
            try expect(byte, UInt8(ascii: ";"), "Behind a chunk's size stands something that is no extension.")
            state = .chunkExtension
        } else if byte == ASCII.carriageReturn {
            state = .sizeLineFeed
        } else if !HTTPSyntax.isValue(byte) {
            throw .badRequest("A chunk extension contains a control byte.")
        }
    }

    private func expect(_ byte: UInt8, _ expected: UInt8, _ reason: String) throws(HTTPParseError) {
        guard byte == expected else { throw .badRequest(reason) }
    }
}

extension HTTPParseError {
    static func contentTooLarge(_ bytesMax: Int) -> Self {
        Self(status: 413, reason: "The content is larger than the \(bytesMax) bytes allowed here.")
    }
}
