/// Goes over the items of an array, one call each, and checks them and all between on the way.
///
/// Only when `next` has given nil is the whole text known to be valid. The bytes are given to each call, since a value
/// that outlives the call cannot hold them; they must be the same every time.
public struct JSONItems: Sendable {
    private enum State { case start, between, end }

    private let scanner: JSONScanner
    private var position: Int
    private var state = State.start
    private let range: Range<Int>?

    /// - Parameter range: where the array stands in the bytes, if it is not all of them.
    public init(range: Range<Int>? = nil, limits: JSONLimits = .standard) {
        scanner = JSONScanner(limits)
        position = range?.lowerBound ?? 0
        self.range = range
    }

    /// The next item; nil after the last one.
    ///
    /// - Throws: `.notAnArray` if there is something else, or a complaint about the text.
    public mutating func next(in bytes: Span<UInt8>) throws(JSONError) -> JSONField? {
        let text = bytes.bytes.extracting(first: JSONScanner.end(of: bytes, range: range))
        guard try moveToItem(text) else { return nil }
        let item = try scanner.value(text, at: position, depth: 1)
        try moveBeyondItem(text, item)
        return item
    }

    /// The next item as an object with these members; nil after the last item.
    ///
    /// - Throws: `.notAnObject` if it is something else, which can then still be had with `next`.
    public mutating func nextFields(
        _ keys: JSONKeys, in bytes: Span<UInt8>
    ) throws(JSONError) -> JSONFields? {
        let text = bytes.bytes.extracting(first: JSONScanner.end(of: bytes, range: range))
        guard try moveToItem(text) else { return nil }
        let fields = try scanner.fields(keys, text, at: position, depth: 1)
        try moveBeyondItem(text, fields.object)
        return fields
    }

    /// - Returns: whether there is an item.
    private mutating func moveToItem(_ text: RawSpan) throws(JSONError) -> Bool {
        guard state == .start else { return state == .between }
        position = scanner.space(text, from: position)
        guard text.byte(at: position) == JSONByte.leftBracket else {
            throw scanner.failure(text, at: position, .notAnArray)
        }
        position = scanner.space(text, from: position + 1)
        state = .between
        guard text.byte(at: position) == JSONByte.rightBracket else { return true }
        position += 1
        try finish(text)
        return false
    }

    private mutating func moveBeyondItem(_ text: RawSpan, _ item: JSONField) throws(JSONError) {
        let next = try scanner.afterValue(text, at: item.end, closing: JSONByte.rightBracket)
        position = next.position
        if next.isEnd { try finish(text) }
    }

    private mutating func finish(_ text: RawSpan) throws(JSONError) {
        try scanner.finish(text, at: position)
        state = .end
    }
}
