/// What sort of value stands in a JSON text.
@frozen
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
@frozen
public struct JSONField: Equatable, Sendable {
    // One word, since fields are made and handed on for every value: from the lowest bit on three bits of kind, one for
    // escapes, thirty for each bound of the range.
    @usableFromInline let bits: UInt64

    @usableFromInline static var offsetMax: Int { 1 << 30 - 1 }

    public static let absent = JSONField(.absent, 0..<0)

    @inline(__always)
    init(_ kind: JSONKind, _ range: Range<Int>, hasEscapes: Bool = false) {
        bits =
            UInt64(kind.rawValue) | (hasEscapes ? 8 : 0) | UInt64(truncatingIfNeeded: range.lowerBound) << 4
            | UInt64(truncatingIfNeeded: range.upperBound) << 34
    }

    @inlinable public var kind: JSONKind {
        JSONKind(rawValue: UInt8(truncatingIfNeeded: bits & 7)) ?? .absent
    }

    /// Whether a string has escape sequences, so that its content is not its bytes.
    @inlinable public var hasEscapes: Bool { bits & 8 != 0 }

    /// The bytes of the whole value, with the quotation marks of a string. They can be copied into another JSON text.
    @inlinable public var range: Range<Int> { lower..<upper }

    /// The bytes between the quotation marks of a string; of any other value the same as `range`.
    @inlinable public var content: Range<Int> {
        kind == .string ? lower + 1..<upper - 1 : range
    }

    @inlinable public var isAbsent: Bool { kind == .absent }
    @inlinable public var isNull: Bool { kind == .null }

    /// The position after the value.
    var end: Int { upper }

    @inlinable var lower: Int { Int(truncatingIfNeeded: bits >> 4) & Self.offsetMax }
    @inlinable var upper: Int { Int(truncatingIfNeeded: bits >> 34) }
}
