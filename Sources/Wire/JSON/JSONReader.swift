/// A JSON text to be read member by member where speed does not matter: settings, tokens, payloads on connecting.
///
/// It holds the text and looks a member up by going over it, so each subscript costs as much as the value is long.
public struct JSONReader: Sendable {
    private let bytes: [UInt8]
    private let field: JSONField

    public init(_ bytes: [UInt8], limits: JSONLimits = .standard) throws(JSONError) {
        field = try JSON.validate(bytes.span, limits: limits)
        self.bytes = bytes
    }

    private init(_ bytes: [UInt8], _ field: JSONField) {
        self.bytes = bytes
        self.field = field
    }

    public var kind: JSONKind { field.kind }
    public var bool: Bool? { field.bool(in: bytes.span) }
    public var int: Int? { field.int(in: bytes.span) }
    public var double: Double? { field.double(in: bytes.span) }
    public var string: String? { field.string(in: bytes.span) }
    /// The text of the value itself.
    public var json: [UInt8] { Array(bytes[field.range]) }

    /// The member of an object with this key, the last one if there are several.
    public subscript(key: String) -> JSONReader? {
        members?.last { $0.key == key }?.value
    }

    /// All members of an object in their order.
    public var members: [(key: String, value: JSONReader)]? {
        guard kind == .object else { return nil }
        let text = bytes.span.bytes
        var result: [(key: String, value: JSONReader)] = []
        // The text has been checked, so nothing here throws.
        try? JSONScanner(.standard).forEachMember(text, of: field) { key, value in
            result.append((key.string(in: bytes.span) ?? "", JSONReader(bytes, value)))
        }
        return result
    }

    /// All items of an array.
    public var items: [JSONReader]? {
        guard kind == .array else { return nil }
        var result: [JSONReader] = []
        var items = JSONItems(range: field.range)
        while let item = try? items.next(in: bytes.span) { result.append(JSONReader(bytes, item)) }
        return result
    }
}

extension JSONScanner {
    fileprivate func forEachMember(
        _ text: RawSpan, of object: JSONField, _ body: (_ key: JSONField, _ value: JSONField) -> Void
    ) throws(JSONError) {
        var next = (position: space(text, from: object.range.lowerBound + 1), isEnd: false)
        guard text.byte(at: next.position) != JSONByte.rightBrace else { return }
        repeat {
            let key = try key(text, at: next.position)
            let value = try value(text, at: afterKey(text, at: key.end), depth: 0)
            body(key, value)
            next = try afterValue(text, at: value.end, closing: JSONByte.rightBrace)
        } while !next.isEnd
    }
}
