/// A small set of names to be recognised in JSON text: the keys of an object's members, or the names of events.
///
/// Made once and kept. Each name is held as its length and its first sixteen bytes in two words, so that nearly every
/// comparison is two of words.
public struct JSONKeys: Sendable {
    /// The most names in a set, which is also how many fields `JSONFields` has room for.
    public static let countMax = 16

    private let keys: [Key]
    private let names: [[UInt8]]

    public var count: Int { keys.count }

    /// - Parameter names: in ASCII, and none with a character that would be escaped in JSON.
    public init(_ names: StaticString...) {
        precondition(names.count <= Self.countMax, "a set of JSON keys has at most \(Self.countMax) names")
        self.names = names.map { Array("\($0)".utf8) }
        keys = self.names.map { Key($0) }
    }

    /// The place of a string value among the names, if it is one of them.
    public func index(of field: JSONField, in bytes: Span<UInt8>) -> Int? {
        field.kind == .string ? index(of: field, in: bytes.bytes) : nil
    }

    @inline(never)
    func index(of field: JSONField, in text: RawSpan) -> Int? {
        if field.hasEscapes { return names.firstIndex(of: JSONString.unescaped(text, field.content)) }
        let start = field.content.lowerBound
        for index in keys.indices where keys[index].length == field.content.count && keys[index].begins(text, at: start)
        {
            if field.content.count <= 16 || isLongMatch(index, text, start) { return index }
        }
        return nil
    }

    private func isLongMatch(_ index: Int, _ text: RawSpan, _ start: Int) -> Bool {
        let name = names[index]
        return name.indices.allSatisfy { name[$0] == text.byte(at: start + $0) }
    }

    /// The position after the quotation marks, if a string starts here and is the name at this place of the set.
    ///
    /// The name need not be checked as a string, since all its characters are plain.
    @inline(__always)
    func end(ofNameAt index: Int, in text: RawSpan, at position: Int) -> Int? {
        guard index < keys.count else { return nil }
        let key = keys[index]
        let last = position &+ 1 &+ key.length
        guard key.length <= 16, text.byte(at: last) == JSONByte.quote, text.byte(at: position) == JSONByte.quote,
            key.begins(text, at: position &+ 1)
        else { return nil }
        return last &+ 1
    }
}

extension JSONKeys {
    // Plain words and nothing counted by reference, so that a comparison is no more than it seems.
    struct Key: Sendable {
        let length: Int
        /// The first eight bytes and the next eight, each with the mask of those that there are.
        let low: (word: UInt64, mask: UInt64)
        let high: (word: UInt64, mask: UInt64)

        init(_ name: [UInt8]) {
            let text = name.span.bytes
            precondition(
                text.plainEnd(from: 0, nonASCII: 0x8080_8080_8080_8080) == name.count,
                "the name would be escaped in JSON")
            let mask = RawSpan.mask(count:)
            length = name.count
            low = (text.word(at: 0) & mask(name.count), mask(name.count))
            high = (text.word(at: 8) & mask(name.count - 8), mask(name.count - 8))
        }

        /// Whether the first sixteen bytes of the name are here, or all if it has less.
        @inline(__always)
        func begins(_ text: RawSpan, at position: Int) -> Bool {
            text.word(at: position) & low.mask == low.word
                && (length <= 8 || text.word(at: position &+ 8) & high.mask == high.word)
        }
    }
}
