/// Reads a JSON object that has bytes in base64 as one of its members, piece by piece: it hands out the bytes as they come, and
/// keeps the rest of the object, which is small.
///
/// The rest is the same object with an empty text in place of the bytes. It has not been checked.
public struct JSONBytesFilter: Sendable {
    public enum Fault: Error, Equatable, Sendable {
        /// The object has more than so many bytes beside those of the member.
        case restTooLong(max: Int)
        /// The member is there twice.
        case repeated
        /// The member's text is not base64.
        case notBase64
        /// The body has ended within the object.
        case incomplete
    }

    private enum State {
        case between
        case text(isEscaped: Bool)
        case bytes(isEscaped: Bool)
    }

    private let member: [UInt8]
    private let restBytesMax: Int
    private var state = State.between
    private var depth = 0
    /// The newest text at the first level, up to a length by which it cannot be the member.
    private var name: [UInt8] = []
    /// Whether the next value is that of the member.
    private var isValue = false
    private var base64 = Base64Stream()
    private var rest: [UInt8] = []
    public private(set) var hasBytes = false

    public init(member: String, restBytesMax: Int) {
        self.member = Array(member.utf8)
        self.restBytesMax = restBytesMax
    }

    /// Appends the bytes of a piece to `output`.
    public mutating func take(_ piece: Span<UInt8>, into output: inout [UInt8]) throws(Fault) {
        var index = 0
        while index < piece.count {
            if case .bytes(let isEscaped) = state {
                try takeBytes(piece, &index, isEscaped: isEscaped, into: &output)
            } else {
                try takeRest(piece[index])
                index += 1
            }
        }
    }

    /// The rest of the object, when all pieces were taken.
    public func finish() throws(Fault) -> [UInt8] {
        guard case .between = state, depth == 0 else { throw .incomplete }
        return rest
    }

    private mutating func takeRest(_ byte: UInt8) throws(Fault) {
        guard rest.count < restBytesMax else { throw .restTooLong(max: restBytesMax) }
        rest.append(byte)
        if case .text(let isEscaped) = state { return takeText(byte, isEscaped: isEscaped) }
        switch byte {
        case JSONByte.quote where isValue:
            guard !hasBytes else { throw .repeated }
            hasBytes = true
            state = .bytes(isEscaped: false)
        case JSONByte.quote:
            name = []
            state = .text(isEscaped: false)
        case JSONByte.leftBrace, JSONByte.leftBracket: depth += 1
        case JSONByte.rightBrace, JSONByte.rightBracket: depth = max(depth - 1, 0)
        case JSONByte.colon: isValue = depth == 1 && name == member
        case UInt8(ascii: " "), UInt8(ascii: "\t"), UInt8(ascii: "\n"), UInt8(ascii: "\r"): break
        default: isValue = false
        }
    }

    private mutating func takeText(_ byte: UInt8, isEscaped: Bool) {
        if !isEscaped, byte == JSONByte.quote {
            state = .between
        } else {
            state = .text(isEscaped: !isEscaped && byte == JSONByte.backslash)
            if name.count <= member.count { name.append(byte) }
        }
    }

    private mutating func takeBytes(
        _ piece: Span<UInt8>, _ index: inout Int, isEscaped: Bool, into output: inout [UInt8]
    ) throws(Fault) {
        if isEscaped {
            // Some encoders write every slash so; the other letters of base64 need no escape.
            guard piece[index] == UInt8(ascii: "/") else { throw .notBase64 }
            guard base64.take(piece.extracting(index..<index + 1), into: &output) else { throw .notBase64 }
            index += 1
            state = .bytes(isEscaped: false)
            return
        }
        var end = index
        while end < piece.count, piece[end] != JSONByte.quote, piece[end] != JSONByte.backslash { end += 1 }
        guard base64.take(piece.extracting(index..<end), into: &output) else { throw .notBase64 }
        index = end
        guard end < piece.count else { return }
        index += 1
        guard piece[end] == JSONByte.quote else {
            state = .bytes(isEscaped: true)
            return
        }
        guard base64.finish(into: &output) else { throw .notBase64 }
        state = .between
        isValue = false
        // The end of the empty text that stands for the bytes.
        rest.append(JSONByte.quote)
    }
}

/// Decodes base64 that comes in pieces of any length.
struct Base64Stream: Sendable {
    /// Up to three letters that wait for the fourth.
    private var waiting: [UInt8] = []
    private var isPadded = false

    /// False when it is not base64.
    mutating func take(_ text: Span<UInt8>, into output: inout [UInt8]) -> Bool {
        guard !text.isEmpty else { return true }
        var start = 0
        if !waiting.isEmpty {
            while waiting.count < 4, start < text.count {
                waiting.append(text[start])
                start += 1
            }
            guard waiting.count == 4 else { return true }
            let letters = waiting
            waiting = []
            guard decode(letters.span, into: &output) else { return false }
        }
        let whole = (text.count - start) / 4 * 4
        guard whole == 0 || decode(text.extracting(start..<start + whole), into: &output) else { return false }
        for index in (start + whole)..<text.count { waiting.append(text[index]) }
        return true
    }

    /// The end of the text. Its padding may be missing.
    mutating func finish(into output: inout [UInt8]) -> Bool {
        defer { waiting = [] }
        guard !waiting.isEmpty else { return true }
        guard !isPadded, let bytes = Base64.decode(waiting.span, paddingOptional: true) else { return false }
        output += bytes
        return true
    }

    private mutating func decode(_ text: Span<UInt8>, into output: inout [UInt8]) -> Bool {
        guard !isPadded, let bytes = Base64.decode(text) else { return false }
        isPadded = bytes.count < text.count / 4 * 3
        output += bytes
        return true
    }
}
