/// A packet with bytes of its own, as it comes out of a polling payload. Only messages can be binary.
public struct EnginePacket: Equatable, Sendable {
    public var type: EnginePacketType
    public var isBinary: Bool
    /// What follows the type: valid UTF-8 unless the packet is binary, where base64 is already undone.
    public var data: [UInt8]

    public init(_ type: EnginePacketType, _ data: [UInt8] = [], isBinary: Bool = false) {
        self.type = type
        self.isBinary = isBinary
        self.data = data
    }
}
