/// Reads the requests of one connection out of input that comes in pieces of any size (RFC 9112). It does no I/O and
/// holds at most one head; content is not copied, its ranges point into the input of the call.
///
/// The events do not depend on where the input was split: each request is `.head`, then any number of `.body`, then
/// `.end`. After the first error every call throws the same one. When the owner accepts an upgrade, it stops calling
/// after `.head`; the input from `offset` on is then of the other protocol.
public struct HTTPRequestParser: ~Copyable {
    public enum Event: Sendable {
        /// The input is used up. Call again when there is more.
        case needMore
        case head(HTTPRequestHead)
        /// Content, as a range of this call's input. Never empty.
        case body(Range<Int>)
        /// The request is whole; the next call begins the next one.
        case end
    }

    /// How much content the current request may have. Each head resets it to `HTTPLimits.bodyBytesMax`; the owner may
    /// change it before the next call.
    public var bodyBytesMax: Int

    private enum State {
        case requestLine
        case fields
        /// The head was returned; no content was read yet.
        case bodyStart(HTTPRequestHead.Body)
        case lengthBody(remaining: Int)
        case chunkedBody
        case trailers
        case failed(HTTPParseError)
    }

    private let limits: HTTPLimits
    private var state = State.requestLine
    private var lines = HTTPLineBuffer()
    private var draft = HTTPHeadDraft()
    private var chunks = HTTPChunkDecoder()
    private var emptyLinesBefore = 0

    public init(limits: HTTPLimits = HTTPLimits()) {
        self.limits = limits
        bodyBytesMax = limits.bodyBytesMax
    }

    /// Whether a request has begun and is not whole yet: closing now would cut it off.
    public var isInsideRequest: Bool {
        if case .requestLine = state { return !lines.isEmpty }
        return true
    }

    /// Reads from `input[offset...]` up to the next event, and moves `offset` past it.
    public mutating func next(_ input: Span<UInt8>, offset: inout Int) throws(HTTPParseError) -> Event {
        do throws(HTTPParseError) {
            switch state {
            case .requestLine, .fields: return try nextOfHead(input, offset: &offset)
            case .bodyStart(let body): return try beginBody(body, input, offset: &offset)
            case .lengthBody(let remaining): return nextOfLengthBody(remaining, input, offset: &offset)
            case .chunkedBody: return try nextOfChunkedBody(input, offset: &offset)
            case .trailers: return try nextOfTrailers(input, offset: &offset)
            case .failed(let error): throw error
            }
        } catch {
            state = .failed(error)
            throw error
        }
    }

    private mutating func nextOfHead(_ input: Span<UInt8>, offset: inout Int) throws(HTTPParseError) -> Event {
        if case .requestLine = state {
            guard try takeRequestLine(input, offset: &offset) else { return .needMore }
        }
        while let line = try lines.nextLine(
            input, offset: &offset, bytesMax: limits.headBytesMax, overflow: .headTooLarge)
        {
            if line.isEmpty { return .head(try finishHead()) }
            try draft.takeField(lines.bytes, line, countMax: limits.headerCountMax)
        }
        return .needMore
    }

    /// False when the input ended before the request line did.
    private mutating func takeRequestLine(
        _ input: Span<UInt8>, offset: inout Int
    ) throws(HTTPParseError) -> Bool {
        while offset < input.count {
            // A peer that speaks another protocol, TLS above all, may never send a line feed: tell it at once.
            let first = input[offset]
            guard !lines.isEmpty || HTTPSyntax.isToken(first) || first == ASCII.carriageReturn else {
                throw .badRequest("The first byte is not that of an HTTP request.")
            }
            // Room for the method, the version and the blanks: past it only the target can be at fault.
            let lineBytesMax = min(limits.targetBytesMax + 64, limits.headBytesMax)
            guard
                let line = try lines.nextLine(
                    input, offset: &offset, bytesMax: lineBytesMax, overflow: .targetTooLong)
            else { return false }
            if line.isEmpty {
                // RFC 9112, section 2.2: some clients end their content with a CRLF that they do not count.
                emptyLinesBefore += 1
                guard emptyLinesBefore <= 2 else { throw .badRequest("Empty lines stand before the request line.") }
                lines.drop()
                continue
            }
            try draft.takeRequestLine(lines.bytes, line, targetBytesMax: limits.targetBytesMax)
            emptyLinesBefore = 0
            state = .fields
            return true
        }
        return false
    }

    private mutating func finishHead() throws(HTTPParseError) -> HTTPRequestHead {
        let head = try draft.head(bytes: lines.take())
        draft = HTTPHeadDraft()
        bodyBytesMax = limits.bodyBytesMax
        state = .bodyStart(head.body)
        return head
    }

    private mutating func beginBody(
        _ body: HTTPRequestHead.Body, _ input: Span<UInt8>, offset: inout Int
    ) throws(HTTPParseError) -> Event {
        switch body {
        case .none:
            return finishRequest()
        case .length(let length):
            guard length <= bodyBytesMax else { throw .contentTooLarge(bodyBytesMax) }
            return nextOfLengthBody(length, input, offset: &offset)
        case .chunked:
            chunks = HTTPChunkDecoder()
            state = .chunkedBody
            return try nextOfChunkedBody(input, offset: &offset)
        }
    }

    private mutating func nextOfLengthBody(_ remaining: Int, _ input: Span<UInt8>, offset: inout Int) -> Event {
        guard remaining > 0 else { return finishRequest() }
        let range = offset..<offset + min(remaining, input.count - offset)
        offset = range.upperBound
        state = .lengthBody(remaining: remaining - range.count)
        return range.isEmpty ? .needMore : .body(range)
    }

    private mutating func nextOfChunkedBody(
        _ input: Span<UInt8>, offset: inout Int
    ) throws(HTTPParseError) -> Event {
        let step = try chunks.next(
            input, offset: &offset, bodyBytesMax: bodyBytesMax, extensionBytesMax: limits.chunkExtensionBytesMax)
        switch step {
        case .needMore: return .needMore
        case .body(let range): return .body(range)
        case .last:
            state = .trailers
            return try nextOfTrailers(input, offset: &offset)
        }
    }

    /// Trailers are held to the same syntax as headers, then dropped: nothing here has a use for them.
    private mutating func nextOfTrailers(_ input: Span<UInt8>, offset: inout Int) throws(HTTPParseError) -> Event {
        while let line = try lines.nextLine(
            input, offset: &offset, bytesMax: limits.trailerBytesMax, overflow: .trailersTooLarge)
        {
            if line.isEmpty { return finishRequest() }
            _ = try HTTPSyntax.splitField(lines.bytes.span, line)
        }
        return .needMore
    }

    private mutating func finishRequest() -> Event {
        lines.drop()
        state = .requestLine
        return .end
    }
}

extension HTTPParseError {
    static var headTooLarge: Self { Self(status: 431, reason: "The request's headers are too large.") }
    static var trailersTooLarge: Self { Self(status: 431, reason: "The request's trailers are too large.") }
}
