/// A small set of names to be recognised in JSON text: the keys of an object's members, or the names of events.
///
/// Made once and kept. Each name is held as its length and its first sixteen bytes in two words, so that nearly every
/// comparison is three of words.
public struct JSONKeys: Sendable {
    /// The most names in a set, which is also how many fields `JSONFields` has room for.
    public static let countMax = 16

    struct Key: Sendable {
        let low: UInt64
        let high: UInt64
        let bytes: [UInt8]
        let length: Int
    }

    private let keys: [Key]

    public var count: Int { keys.count }

    public init(_ names: StaticString...) {
        precondition(names.count <= Self.countMax, "a set of JSON keys has at most \(Self.countMax) names")
        keys = names.map { Key(Array("\($0)".utf8)) }
    }

    /// The place of a string value among the names, if it is one of them.
    public func index(of field: JSONField, in bytes: Span<UInt8>) -> Int? {
        guard field.kind == .string else { return nil }
        return index(of: field, in: bytes.bytes, startingAt: 0)
    }

    /// Looks from `start` on and then from the beginning: members mostly come in the order of the set.
    @inline(__always)
    func index(of field: JSONField, in bytes: RawSpan, startingAt start: Int) -> Int? {
        if field.hasEscapes {
            let name = JSONString.unescaped(bytes, field.content)
            return index(of: name.span.bytes, 0..<name.count, startingAt: start)
        }
        return index(of: bytes, field.content, startingAt: start)
    }

    @inline(__always)
    private func index(of bytes: RawSpan, _ range: Range<Int>, startingAt start: Int) -> Int? {
        let length = range.count
        let low = bytes.word(at: range.lowerBound, count: min(length, 8))
        let high = length > 8 ? bytes.word(at: range.lowerBound + 8, count: min(length - 8, 8)) : 0
        let keys = keys.span
        var index = start < keys.count ? start : 0
        for _ in keys.indices {
            if keys[index].low == low, keys[index].length == length, keys[index].high == high,
                length <= 16 || keys[index].matches(bytes, range)
            {
                return index
            }
            index = index + 1 < keys.count ? index + 1 : 0
        }
        return nil
    }
}

extension JSONKeys.Key {
    init(_ name: [UInt8]) {
        let bytes = name.span.bytes
        length = name.count
        low = bytes.word(at: 0, count: min(name.count, 8))
        high = name.count > 8 ? bytes.word(at: 8, count: min(name.count - 8, 8)) : 0
        self.bytes = name
    }

    fileprivate func matches(_ text: RawSpan, _ range: Range<Int>) -> Bool {
        for index in bytes.indices where bytes[index] != text.byte(at: range.lowerBound + index) {
            return false
        }
        return true
    }
}
