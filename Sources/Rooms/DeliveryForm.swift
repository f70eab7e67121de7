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
}
