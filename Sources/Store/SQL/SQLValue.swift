/// A value that is bound to a parameter of a statement.
enum SQLValue: Sendable, Equatable {
    case null
    case bool(Bool)
    case int(Int64)
    case real(Double)
    case text(String)
    /// Text as bytes of UTF-8, such as JSON.
    case json([UInt8])

    static func int(_ value: Int) -> SQLValue { .int(Int64(value)) }
    /// Numbers of a room's log stay far below the largest signed number.
    static func seq(_ value: UInt64) -> SQLValue { .int(Int64(clamping: value)) }
    static func optional(_ value: String?) -> SQLValue { value.map { .text($0) } ?? .null }
    static func optional(_ value: Int64?) -> SQLValue { value.map { .int($0) } ?? .null }
    static func optional(_ value: Double?) -> SQLValue { value.map { .real($0) } ?? .null }
    /// A username as `lower(username)` has it: only letters of ASCII have two cases.
    static func name(_ value: String) -> SQLValue {
        .json(value.utf8.map { UInt8(ascii: "A")...UInt8(ascii: "Z") ~= $0 ? $0 | 0x20 : $0 })
    }
    /// An empty value is null.
    static func optional(json value: [UInt8]) -> SQLValue { value.isEmpty ? .null : .json(value) }
}
