/// Writes one JSON value, piece by piece, at the end of an array of bytes.
///
///     JSONWriter.write(into: &packet) { json in
///         json.beginObject()
///         json.member("roomId", "r1")
///         json.key("touches")
///         json.beginArray()
///         json.double(12.5)
///         json.endArray()
///         json.endObject()
///     }
///
/// Commas and colons come by themselves. Pieces that do not make a JSON value in the end, such as a member without a
/// key, are mistakes of the program and stop it.
public struct JSONWriter: ~Copyable {
    private(set) var bytes: [UInt8] = []
    /// A bit per open bracket, the innermost lowest: 1 for an object.
    private var objects: UInt64 = 0
    private var depth = 0
    private var needsComma = false
    private var isAfterKey = false
    private var isDone = false

    private init() {}

    public static func write<E>(
        into bytes: inout [UInt8], _ body: (inout JSONWriter) throws(E) -> Void
    ) throws(E) {
        var writer = JSONWriter()
        // The writer owns the array meanwhile, so that it grows in place.
        swap(&writer.bytes, &bytes)
        defer { swap(&writer.bytes, &bytes) }
        try body(&writer)
        precondition(writer.isDone, "a JSON value was begun and not ended")
    }

    public mutating func beginObject() { begin(JSONByte.leftBrace, isObject: true) }
    public mutating func endObject() { end(JSONByte.rightBrace, isObject: true) }
    public mutating func beginArray() { begin(JSONByte.leftBracket, isObject: false) }
    public mutating func endArray() { end(JSONByte.rightBracket, isObject: false) }

    public mutating func key(_ key: String) {
        precondition(depth > 0 && objects & 1 == 1 && !isAfterKey, "a key stands in an object, before its value")
        if needsComma { bytes.append(JSONByte.comma) }
        bytes.appendJSONString(key.utf8.span)
        bytes.append(JSONByte.colon)
        needsComma = false
        isAfterKey = true
    }

    private mutating func begin(_ bracket: UInt8, isObject: Bool) {
        beginValue()
        precondition(depth < 64, "JSON brackets nest at most 64 deep")
        bytes.append(bracket)
        objects = objects << 1 | (isObject ? 1 : 0)
        depth += 1
        needsComma = false
    }

    private mutating func end(_ bracket: UInt8, isObject: Bool) {
        precondition(depth > 0 && (objects & 1 == 1) == isObject && !isAfterKey, "there is no such bracket to close")
        bytes.append(bracket)
        objects >>= 1
        depth -= 1
        endValue()
    }

    private mutating func beginValue() {
        precondition(!isDone && (depth == 0 || objects & 1 == 0 || isAfterKey), "a JSON value cannot stand here")
        if needsComma { bytes.append(JSONByte.comma) }
        isAfterKey = false
    }

    private mutating func endValue() {
        needsComma = true
        isDone = depth == 0
    }
}

// MARK: - Values

extension JSONWriter {
    public mutating func string(_ value: String) { string(utf8: value.utf8.span) }

    /// Bytes that are not valid UTF-8 come out as replacement characters.
    public mutating func string(utf8 value: Span<UInt8>) {
        beginValue()
        bytes.appendJSONString(value)
        endValue()
    }

    public mutating func int(_ value: Int) {
        beginValue()
        bytes.appendDecimal(value)
        endValue()
    }

    /// The shortest digits that read back as the same number; integers without a fraction. It has to be finite.
    public mutating func double(_ value: Double) {
        precondition(value.isFinite, "JSON has no infinite numbers and no NaN")
        beginValue()
        bytes.appendDecimal(value)
        endValue()
    }

    public mutating func bool(_ value: Bool) {
        beginValue()
        bytes.append(contentsOf: (value ? "true" : "false").utf8)
        endValue()
    }

    public mutating func null() {
        beginValue()
        bytes.append(contentsOf: "null".utf8)
        endValue()
    }

    /// A value that is already JSON, such as the range of a field of a text that was checked.
    public mutating func raw(_ json: Span<UInt8>) {
        assert((try? JSON.validate(json)) != nil, "the raw value is not JSON")
        beginValue()
        json.withUnsafeBytes { bytes.append(contentsOf: $0) }
        endValue()
    }
}

// MARK: - Members

extension JSONWriter {
    public mutating func member(_ key: String, _ value: String) {
        self.key(key)
        string(value)
    }

    public mutating func member(_ key: String, _ value: Int) {
        self.key(key)
        int(value)
    }

    public mutating func member(_ key: String, _ value: Double) {
        self.key(key)
        double(value)
    }

    public mutating func member(_ key: String, _ value: Bool) {
        self.key(key)
        bool(value)
    }

    public mutating func member(_ key: String, raw json: Span<UInt8>) {
        self.key(key)
        raw(json)
    }
}
