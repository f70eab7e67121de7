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

    private static let decimalsShift: UInt8 = 4

    /// Binary ticks in a precision.
    package static func ticks(decimals: Int) -> Self {
        precondition((0...TickHeader.decimalsMax).contains(decimals), "a precision that clients may ask for")
        return Self(rawValue: ticks.rawValue | UInt8(decimals) << decimalsShift)
    }

    /// The precision of binary ticks.
    package var decimals: Int { Int(rawValue >> Self.decimalsShift) }
    /// Whether the member gets its own touch too.
    package var hasOwnTouch: Bool { !isDisjoint(with: [.batches, .ticks]) }
}
