/// The place in a packet's JSON where an attachment belongs: `{"_placeholder":true,"num":0}`.
public struct SocketPlaceholder: Equatable, Sendable {
    /// The object's bytes in the packet's text, braces included.
    public var range: Range<Int>
    /// Which of the packet's attachments it stands for.
    public var attachment: Int

    public init(range: Range<Int>, attachment: Int) {
        self.range = range
        self.attachment = attachment
    }

    public enum Failure: Error, Equatable, Sendable {
        /// A placeholder without the number of an attachment that the packet has.
        case illegalAttachment
        case tooDeep
        /// Brackets that do not match, or an unfinished string.
        case malformed
    }

    /// Finds the placeholders in `payload`, in the order in which they end.
    ///
    /// Finds those that a client's JSON parser would make of the text: keys in any order and with escapes, the last
    /// of equal keys, others beside them. An attachment may have no place or several. There cannot be more places
    /// than the text has room for, so the result needs no bound of its own. Valid JSON is assumed, as far as its
    /// commas and colons go.
    public static func find(
        in text: Span<UInt8>, payload: Range<Int>, attachments: Int, limits: SocketLimits = SocketLimits()
    ) throws(Failure) -> [SocketPlaceholder] {
        var scanner = PlaceholderScanner(attachments: attachments, depthMax: limits.payloadDepthMax)
        try scanner.scan(text, payload)
        return scanner.found
    }
}

/// Walks over JSON with one entry per open bracket, and remembers of each object what makes it a placeholder.
private struct PlaceholderScanner {
    let attachments: Int
    let depthMax: Int
    var found: [SocketPlaceholder] = []
    var open: [Container] = []

    struct Container {
        var start: Int
        var isObject: Bool
        var key = Key.other
        /// The last value of `_placeholder` was `true`.
        var isMarked = false
        /// The last value of `num`, if it was a number that an attachment can have.
        var number: Int?
    }

    enum Key {
        case placeholder
        case number
        case other
    }

    init(attachments: Int, depthMax: Int) {
        self.attachments = attachments
        self.depthMax = depthMax
    }

    mutating func scan(_ text: Span<UInt8>, _ payload: Range<Int>) throws(SocketPlaceholder.Failure) {
        var index = payload.lowerBound
        let end = payload.upperBound
        while index < end {
            switch text[index] {
            case UInt8(ascii: "{"), UInt8(ascii: "["):
                try begin(text[index] == UInt8(ascii: "{"), at: index)
                index += 1
            case UInt8(ascii: "}"), UInt8(ascii: "]"):
                try close(text[index] == UInt8(ascii: "}"), at: index)
                index += 1
            case UInt8(ascii: "\""):
                try string(text, &index, end)
            case UInt8(ascii: ","), UInt8(ascii: ":"), 0x20, 0x09, 0x0A, 0x0D:
                index += 1
            default:
                word(text, &index, end)
            }
        }
        guard open.isEmpty else { throw .malformed }
    }

    private mutating func begin(_ isObject: Bool, at index: Int) throws(SocketPlaceholder.Failure) {
        setValue(isTrue: false, number: nil)
        guard open.count < depthMax else { throw .tooDeep }
        open.append(Container(start: index, isObject: isObject))
    }

    private mutating func close(_ isObject: Bool, at index: Int) throws(SocketPlaceholder.Failure) {
        guard let container = open.popLast(), container.isObject == isObject else { throw .malformed }
        guard container.isMarked else { return }
        guard let number = container.number else { throw .illegalAttachment }
        // Whatever stands inside a placeholder goes away with it.
        while let last = found.last, last.range.lowerBound > container.start { found.removeLast() }
        found.append(SocketPlaceholder(range: container.start..<index + 1, attachment: number))
    }

    /// A string is a key if a colon follows it.
    private mutating func string(
        _ text: Span<UInt8>, _ index: inout Int, _ end: Int
    ) throws(SocketPlaceholder.Failure) {
        let start = index + 1
        index = start
        var isEscaped = false
        while index < end, text[index] != EscapedText.quote {
            if text[index] == EscapedText.backslash {
                isEscaped = true
                index += 1
            }
            index += 1
        }
        guard index < end else { throw .malformed }
        let string = text.extracting(start..<index)
        index += 1
        while index < end, text[index] <= 0x20 { index += 1 }
        if index < end, text[index] == UInt8(ascii: ":") {
            guard let last = open.indices.last, open[last].isObject else { throw .malformed }
            open[last].key = Self.key(string, isEscaped: isEscaped)
        } else {
            setValue(isTrue: false, number: nil)
        }
    }

    /// A number or a literal. `true` and the number of an attachment are the values that matter.
    private mutating func word(_ text: Span<UInt8>, _ index: inout Int, _ end: Int) {
        let start = index
        while index < end, !Self.endsWord(text[index]) { index += 1 }
        let word = text.extracting(start..<index)
        setValue(isTrue: Self.equals(word, "true"), number: attachment(word))
    }

    /// Plain digits only: clients read 0.0 and -0 as numbers too, but none writes them.
    private func attachment(_ word: Span<UInt8>) -> Int? {
        guard word.count == 1 || word[0] != UInt8(ascii: "0"), word.count < 10 else { return nil }
        guard let number = DecimalInteger.parse(word), number < attachments else { return nil }
        return number
    }

    private mutating func setValue(isTrue: Bool, number: Int?) {
        guard let last = open.indices.last else { return }
        switch open[last].key {
        case .placeholder: open[last].isMarked = isTrue
        case .number: open[last].number = number
        case .other: break
        }
    }

    private static func key(_ string: Span<UInt8>, isEscaped: Bool) -> Key {
        guard isEscaped else { return key(string) }
        // Six bytes for each character is the longest way to write the longer of the two.
        guard string.count <= 72, let plain = EscapedText.unescape(string) else { return .other }
        return key(plain.span)
    }

    private static func key(_ string: Span<UInt8>) -> Key {
        if equals(string, "_placeholder") { return .placeholder }
        return equals(string, "num") ? .number : .other
    }

    private static func equals(_ bytes: Span<UInt8>, _ word: StaticString) -> Bool {
        word.withUTF8Buffer { letters in
            guard letters.count == bytes.count else { return false }
            for index in bytes.indices where bytes[index] != letters[index] { return false }
            return true
        }
    }

    private static func endsWord(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: ","), UInt8(ascii: ":"), UInt8(ascii: "}"), UInt8(ascii: "]"), UInt8(ascii: "{"),
            UInt8(ascii: "["), UInt8(ascii: "\""), 0x20, 0x09, 0x0A, 0x0D:
            return true
        default:
            return false
        }
    }
}
