/// Header fields in the order in which they came. All names and values lie in one array of bytes, so that a parsed
/// request has two allocations for its headers however many they are; text is made when it is asked for.
///
/// Fields of a parsed request are valid. Those added by `add` are checked when a response is written.
public struct HTTPHeaders: Sendable {
    /// Where a field lies in `bytes`.
    struct Field: Sendable {
        var nameStart: UInt32
        var nameEnd: UInt32
        var valueStart: UInt32
        var valueEnd: UInt32

        init(name: Range<Int>, value: Range<Int>) {
            nameStart = UInt32(name.lowerBound)
            nameEnd = UInt32(name.upperBound)
            valueStart = UInt32(value.lowerBound)
            valueEnd = UInt32(value.upperBound)
        }

        var name: Range<Int> { Int(nameStart)..<Int(nameEnd) }
        var value: Range<Int> { Int(valueStart)..<Int(valueEnd) }
    }

    private(set) var bytes: [UInt8]
    private(set) var fields: [Field]

    public init() {
        bytes = []
        fields = []
    }

    init(bytes: [UInt8], fields: [Field]) {
        self.bytes = bytes
        self.fields = fields
    }

    public mutating func add(_ name: String, _ value: String) {
        let start = bytes.count
        bytes.append(contentsOf: name.utf8)
        let middle = bytes.count
        bytes.append(contentsOf: value.utf8)
        fields.append(Field(name: start..<middle, value: middle..<bytes.count))
    }

    public var count: Int { fields.count }

    /// Name and value number `index`, below `count`.
    public subscript(index: Int) -> (name: String, value: String) {
        (text(fields[index].name), text(fields[index].value))
    }

    /// The value of the first field of this name, in whatever case.
    public func first(named name: String) -> String? {
        firstIndex(named: name, from: 0).map { text(fields[$0].value) }
    }

    public func contains(named name: String) -> Bool { firstIndex(named: name, from: 0) != nil }

    public func all(named name: String) -> [String] {
        var values: [String] = []
        forEachValue(named: name) { values.append(text($0)) }
        return values
    }

    /// The elements of a comma-separated list, over all fields of this name, blanks trimmed and empty ones left out.
    public func tokens(named name: String) -> [String] {
        var tokens: [String] = []
        forEachToken(named: name) { tokens.append(text($0)) }
        return tokens
    }

    /// The same with the empty ones: where each element has its place, an empty one is not the one before it.
    public func elements(named name: String) -> [String] {
        var elements: [String] = []
        forEachValue(named: name) { value in
            Self.forEachElement(bytes.span, value, keepingEmpty: true) { elements.append(text($0)) }
        }
        return elements
    }

    /// Whether the list `name` has the element `token`, in whatever case.
    public func contains(token: StaticString, in name: String) -> Bool {
        var isFound = false
        forEachToken(named: name) { range in
            isFound = isFound || ASCII.equalsIgnoringCase(bytes.span, range, token)
        }
        return isFound
    }

    private func forEachToken(named name: String, _ body: (Range<Int>) -> Void) {
        forEachValue(named: name) { Self.forEachElement(bytes.span, $0, body) }
    }

    private func forEachValue(named name: String, _ body: (Range<Int>) -> Void) {
        var index = firstIndex(named: name, from: 0)
        while let found = index {
            body(fields[found].value)
            index = firstIndex(named: name, from: found + 1)
        }
    }

    /// Calls `body` with each element of a comma-separated list, trimmed, empty ones left out unless they are wanted.
    static func forEachElement(
        _ bytes: Span<UInt8>, _ range: Range<Int>, keepingEmpty: Bool = false, _ body: (Range<Int>) -> Void
    ) {
        var start = range.lowerBound
        while start <= range.upperBound {
            var end = start
            while end < range.upperBound, bytes[end] != UInt8(ascii: ",") { end += 1 }
            let element = ASCII.trimmed(bytes, start..<end)
            if keepingEmpty || !element.isEmpty { body(element) }
            start = end + 1
        }
    }

    private func firstIndex(named name: String, from start: Int) -> Int? {
        var name = name
        return name.withUTF8 { letters in
            let bytes = bytes.span
            for index in start..<fields.count
            where ASCII.equalsIgnoringCase(bytes, fields[index].name, letters.span) {
                return index
            }
            return nil
        }
    }

    func text(_ range: Range<Int>) -> String { String(decoding: bytes[range], as: UTF8.self) }
}

extension HTTPHeaders: ExpressibleByDictionaryLiteral {
    public init(dictionaryLiteral elements: (String, String)...) {
        self.init()
        for (name, value) in elements { add(name, value) }
    }
}
