import Glibc

/// Takes a form (`multipart/form-data`, RFC 7578) apart that comes in pieces of any size. It does no I/O and holds at
/// most the headers of one part; content is not copied.
///
/// The events do not depend on where the input was split, other than that content may come in more pieces: each part is
/// `.part`, then any number of `.content` and `.heldBack`, then `.partEnd`. What follows the last boundary is ignored.
public struct MultipartParser: ~Copyable {
    public enum Event: Equatable, Sendable {
        /// The input is used up. Call again when there is more, or `finish` when there is none.
        case needMore
        case part(MultipartPart)
        /// Content, as a range of this call's input. Never empty.
        case content(Range<Int>)
        /// Content that could have been the beginning of a boundary when an earlier input ended: the first so many
        /// bytes of `delimiter`. At least one.
        case heldBack(Int)
        case partEnd
    }

    private enum State {
        /// Before the first boundary.
        case preamble
        case head
        case content
        /// Behind a boundary: blanks and the end of the line, or the end of the form.
        case boundaryEnd
        case firstDash
        case padding
        case paddingReturn
        case epilogue
        case failed(MultipartError)
    }

    /// What ends a part: a line end, two dashes, the boundary.
    public let delimiter: [UInt8]
    private let limits: MultipartLimits
    private var state = State.preamble
    /// How many bytes of the delimiter the input so far ends with. A carriage return stands only at its beginning, so
    /// a match that fails never hides another one that began within it.
    private var matched: Int
    private var preambleBytes = 0
    private var partCount = 0
    private var lines = HTTPLineBuffer()
    private var draft = MultipartPartDraft()

    public init(boundary: MultipartBoundary, limits: MultipartLimits = MultipartLimits()) {
        delimiter = Array("\r\n--".utf8) + boundary.bytes
        self.limits = limits
        // The first boundary has no line end before it when nothing precedes it.
        matched = 2
    }

    /// Whether the last boundary was read.
    public var isComplete: Bool {
        if case .epilogue = state { return true }
        return false
    }

    /// Called when the body is at its end.
    public mutating func finish() throws(MultipartError) {
        if case .failed(let error) = state { throw error }
        guard isComplete else { throw .truncated }
    }

    /// Reads from `input[offset...]` up to the next event, and moves `offset` past it.
    public mutating func next(_ input: Span<UInt8>, offset: inout Int) throws(MultipartError) -> Event {
        do throws(MultipartError) {
            while offset < input.count {
                if let event = try step(input, &offset) { return event }
            }
            return .needMore
        } catch {
            state = .failed(error)
            throw error
        }
    }

    /// Nil when it read something that is no event.
    private mutating func step(_ input: Span<UInt8>, _ offset: inout Int) throws(MultipartError) -> Event? {
        switch state {
        case .preamble: try skipPreamble(input, &offset)
        case .content: return takeContent(input, &offset)
        case .head: return try takeHead(input, &offset)
        case .boundaryEnd, .firstDash, .padding, .paddingReturn: try takeBoundaryEnd(input, &offset)
        case .epilogue: offset = input.count
        case .failed(let error): throw error
        }
        return nil
    }

    // MARK: Looking for boundaries

    private enum Scan {
        case needMore
        case content(Range<Int>)
        case heldBack(Int)
        case delimiter
    }

    private mutating func skipPreamble(_ input: Span<UInt8>, _ offset: inout Int) throws(MultipartError) {
        switch scan(input, &offset) {
        case .needMore: break
        case .content(let range): preambleBytes += range.count
        case .heldBack(let count): preambleBytes += count
        case .delimiter: state = .boundaryEnd
        }
        guard preambleBytes <= limits.preambleBytesMax else { throw .preambleTooLarge }
    }

    private mutating func takeContent(_ input: Span<UInt8>, _ offset: inout Int) -> Event? {
        switch scan(input, &offset) {
        case .needMore: return nil
        case .content(let range): return .content(range)
        case .heldBack(let count): return .heldBack(count)
        case .delimiter:
            state = .boundaryEnd
            return .partEnd
        }
    }

    private mutating func scan(_ input: Span<UInt8>, _ offset: inout Int) -> Scan {
        let start = offset
        if matched == 0 { offset = contentEnd(input, from: start) }
        return offset > start ? .content(start..<offset) : goOnMatching(input, &offset)
    }

    /// The place of a delimiter, or of its possible beginning at the end of the input; the input's end when there is
    /// neither.
    private func contentEnd(_ input: Span<UInt8>, from start: Int) -> Int {
        var candidate = Self.firstReturn(input, from: start)
        while candidate < input.count, !isDelimiter(input, from: candidate) {
            candidate = Self.firstReturn(input, from: candidate + 1)
        }
        return candidate
    }

    private static func firstReturn(_ input: Span<UInt8>, from start: Int) -> Int {
        input.extracting(start..<input.count).withUnsafeBytes { bytes in
            guard let base = bytes.baseAddress, let found = memchr(base, Int32(ASCII.carriageReturn), bytes.count)
            else { return input.count }
            return start + (UnsafeRawPointer(found) - base)
        }
    }

    /// Whether the input agrees with the delimiter as far as it goes.
    private func isDelimiter(_ input: Span<UInt8>, from start: Int) -> Bool {
        for index in 0..<min(delimiter.count, input.count - start) where input[start + index] != delimiter[index] {
            return false
        }
        return true
    }

    private mutating func goOnMatching(_ input: Span<UInt8>, _ offset: inout Int) -> Scan {
        while offset < input.count, matched < delimiter.count, input[offset] == delimiter[matched] {
            matched += 1
            offset += 1
        }
        guard offset < input.count || matched == delimiter.count else { return .needMore }
        defer { matched = 0 }
        return matched == delimiter.count ? .delimiter : .heldBack(matched)
    }

    // MARK: Behind a boundary

    private mutating func takeBoundaryEnd(_ input: Span<UInt8>, _ offset: inout Int) throws(MultipartError) {
        let byte = input[offset]
        offset += 1
        switch (state, byte) {
        case (.boundaryEnd, UInt8(ascii: "-")): state = .firstDash
        case (.firstDash, UInt8(ascii: "-")): state = .epilogue
        case (.boundaryEnd, ASCII.space), (.boundaryEnd, ASCII.tab), (.padding, ASCII.space), (.padding, ASCII.tab):
            state = .padding
        case (.boundaryEnd, ASCII.carriageReturn), (.padding, ASCII.carriageReturn): state = .paddingReturn
        case (.paddingReturn, ASCII.lineFeed): try beginHead()
        default: throw .malformedBoundary
        }
    }

    private mutating func beginHead() throws(MultipartError) {
        guard partCount < limits.partsMax else { throw .tooManyParts }
        partCount += 1
        draft = MultipartPartDraft()
        state = .head
    }

    // MARK: A part's headers

    private mutating func takeHead(_ input: Span<UInt8>, _ offset: inout Int) throws(MultipartError) -> Event? {
        guard let line = try nextLine(input, &offset) else { return nil }
        guard line.isEmpty else {
            try takeField(line)
            return nil
        }
        lines.drop()
        state = .content
        return .part(try draft.part())
    }

    private mutating func nextLine(
        _ input: Span<UInt8>, _ offset: inout Int
    ) throws(MultipartError) -> Range<Int>? {
        do throws(HTTPParseError) {
            return try lines.nextLine(
                input, offset: &offset, bytesMax: limits.headBytesMax, overflow: .headTooLarge)
        } catch {
            throw error == .headTooLarge ? .headTooLarge : .malformedHeader(error.reason)
        }
    }

    private mutating func takeField(_ line: Range<Int>) throws(MultipartError) {
        guard draft.headerCount < limits.headerCountMax else { throw .headTooLarge }
        let field: (name: Range<Int>, value: Range<Int>)
        do throws(HTTPParseError) {
            field = try HTTPSyntax.splitField(lines.bytes.span, line)
        } catch {
            throw .malformedHeader(error.reason)
        }
        var draft = draft
        try draft.take(lines.bytes.span, name: field.name, value: field.value)
        self.draft = draft
    }
}
