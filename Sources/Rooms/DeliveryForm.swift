import Wire

/// The form in which a member is told what happens in a room.
package struct DeliveryForm: OptionSet, Sendable {
    package let rawValue: UInt8

    package init(rawValue: UInt8) {
        self.rawValue = rawValue
    }

    /// All positions of a tick come in one `touch:batch`.
    package static let batches = Self(rawValue: 1)
    /// The log's events come with offsets.
    package static let offsets = Self(rawValue: 2)
    /// All positions of a tick come in one binary `touch:tick`, in the precision of `decimals`.
    package static let ticks = Self(rawValue: 4)
    /// The member's session takes binary messages only as packets, not as frames.
    package static let packets = Self(rawValue: 8)
    /// Changes of texts come as `element:edited`, and carets come.
    package static let edits = Self(rawValue: 128)

    private static let decimalsShift: UInt8 = 4
    private static let decimalsMask: UInt8 = 7

    /// Binary ticks in a precision.
    package static func ticks(decimals: Int) -> Self {
        precondition((0...TickHeader.decimalsMax).contains(decimals), "a precision that clients may ask for")
        return Self(rawValue: ticks.rawValue | UInt8(decimals) << decimalsShift)
    }

    /// The precision of binary ticks.
    package var decimals: Int { Int(rawValue >> Self.decimalsShift & Self.decimalsMask) }
    /// Whether the member gets its own touch too.
    package var hasOwnTouch: Bool { !isDisjoint(with: [.batches, .ticks]) }
    /// The form of the log: the bits of `.offsets` and `.edits` as a number from 0 to 3.
    package var logIndex: Int { (contains(.offsets) ? 1 : 0) + (contains(.edits) ? 2 : 0) }
}
