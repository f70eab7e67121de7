/// What sort of value stands in a JSON text.
public enum JSONKind: UInt8, Sendable {
    /// No value: the object has no member with this key.
    case absent
    case null
    case bool
    case number
    case string
    case array
    case object
}

/// One value in a JSON text that has been checked: its kind and where it stands.
///
/// It points into the bytes that were scanned and is only good together with them. Reading it from shorter bytes
/// traps; from other bytes it gives nonsense.
public struct JSONField: Equatable, Sendable {
    public let kind: JSONKind
    /// Whether a string has escape sequences, so that its content is not its bytes.
    public let hasEscapes: Bool
    // Half the size of a range of Int: a set of fields is returned by value on the hot path.
    private let lower: UInt32
    private let upper: UInt32

    public static let absent = JSONField(.absent, 0..<0)

    init(_ kind: JSONKind, _ range: Range<Int>, hasEscapes: Bool = false) {
        self.kind = kind
        self.hasEscapes = hasEscapes
        lower = UInt32(truncatingIfNeeded: range.lowerBound)
        upper = UInt32(truncatingIfNeeded: range.upperBound)
    }

    /// The bytes of the whole value, of a string with its quotation marks: what is spliced into another JSON text.
    public var range: Range<Int> {
        Int(lower)..<Int(upper)
    }

    /// The bytes between the quotation marks of a string; of any other value the same as `range`.
    public var content: Range<Int> {
        kind == .string ? Int(lower) + 1..<Int(upper) - 1 : range
    }

    public var isAbsent: Bool { kind == .absent }
    public var isNull: Bool { kind == .null }
}
