extension [UInt8] {
    /// The same in no more memory than it needs, for what is kept long: what was appended to has up to as much again.
    var trimmed: [UInt8] {
        guard capacity - count >= Self.slackBytesMax else { return self }
        return Array(unsafeUninitializedCapacity: count) { room, filled in
            filled = room.initialize(fromContentsOf: self)
        }
    }

    /// Less than that is not worth a copy.
    private static let slackBytesMax = 16
}
