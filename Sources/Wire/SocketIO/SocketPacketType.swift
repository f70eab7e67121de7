/// What a Socket.IO packet is for. The raw value is the digit on the wire.
public enum SocketPacketType: UInt8, Sendable, CaseIterable {
    case connect = 0
    case disconnect = 1
    case event = 2
    case ack = 3
    /// ERROR in version 4.
    case connectError = 4
    /// An event whose attachments follow it in binary messages of their own.
    case binaryEvent = 5
    case binaryAck = 6

    @inlinable
    public init?(digit: UInt8) { self.init(rawValue: digit &- 0x30) }

    @inlinable
    public var digit: UInt8 { rawValue &+ 0x30 }

    @inlinable
    public var isBinary: Bool { self == .binaryEvent || self == .binaryAck }

    @inlinable
    public var isEvent: Bool { self == .event || self == .binaryEvent }

    @inlinable
    public var isAck: Bool { self == .ack || self == .binaryAck }
}
