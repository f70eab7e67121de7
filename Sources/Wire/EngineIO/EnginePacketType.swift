/// What an Engine.IO packet is for. The raw value is the digit on the wire.
public enum EnginePacketType: UInt8, Sendable, CaseIterable {
    case open = 0
    case close = 1
    case ping = 2
    case pong = 3
    case message = 4
    case upgrade = 5
    case noop = 6

    /// The type that the digit at the start of a packet's text names.
    @inlinable
    public init?(digit: UInt8) { self.init(rawValue: digit &- 0x30) }

    /// The digit that stands at the start of a packet's text.
    @inlinable
    public var digit: UInt8 { rawValue &+ 0x30 }
}
