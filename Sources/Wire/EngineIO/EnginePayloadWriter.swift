/// Writes the packets of one payload, one after another, into a buffer of its owner.
///
/// `size` returns the length of a packet before it is written, so that the owner can stop before the limit that the
/// client was told in the handshake.
public struct EnginePayloadWriter: Sendable {
    public let form: EnginePayload.Form
    public private(set) var packetCount = 0

    public init(form: EnginePayload.Form) { self.form = form }

    /// The bytes that `append` would write now for the same packet, a separator before it among them.
    public func size(_ data: Span<UInt8>, isBinary: Bool = false) -> Int {
        let length = Self.packetByteCount(data, isBinary: isBinary, form: form)
        switch form {
        case .separated:
            return length + (packetCount == 0 ? 0 : 1)
        case .counted:
            return length + Self.digitCount(Self.unitCount(data, isBinary: isBinary)) + 1
        case .framed:
            return length + Self.digitCount(length) + 2
        }
    }

    /// Appends a packet. `data` is valid UTF-8 unless it is binary; only messages can be.
    public mutating func append(
        _ type: EnginePacketType, _ data: Span<UInt8>, isBinary: Bool = false, to output: inout [UInt8]
    ) {
        precondition(!isBinary || type == .message, "Only messages carry binary data.")
        switch form {
        case .separated:
            if packetCount > 0 { output.append(EnginePayload.separator) }
        case .counted:
            DecimalInteger.append(Self.unitCount(data, isBinary: isBinary), to: &output)
            output.append(UInt8(ascii: ":"))
        case .framed:
            output.append(isBinary ? EnginePayload.binaryFrame : EnginePayload.textFrame)
            Self.appendFrameLength(Self.packetByteCount(data, isBinary: isBinary, form: form), to: &output)
        }
        appendPacket(type, data, isBinary: isBinary, to: &output)
        packetCount += 1
    }

    private func appendPacket(
        _ type: EnginePacketType, _ data: Span<UInt8>, isBinary: Bool, to output: inout [UInt8]
    ) {
        guard isBinary else {
            output.append(type.digit)
            return data.withUnsafeBufferPointer { output.append(contentsOf: $0) }
        }
        switch form {
        case .separated: EngineFrame.appendBase64(data, version: .v4, to: &output)
        case .counted: EngineFrame.appendBase64(data, version: .v3, to: &output)
        case .framed:
            output.append(type.rawValue)
            data.withUnsafeBufferPointer { output.append(contentsOf: $0) }
        }
    }

    /// The digits of a frame's length are bytes of the values 0 to 9, not characters.
    private static func appendFrameLength(_ length: Int, to output: inout [UInt8]) {
        let start = output.count
        DecimalInteger.append(length, to: &output)
        for index in start..<output.count { output[index] &-= 0x30 }
        output.append(EnginePayload.frameLengthEnd)
    }

    /// The packet's bytes without what its form puts around it.
    private static func packetByteCount(
        _ data: Span<UInt8>, isBinary: Bool, form: EnginePayload.Form
    ) -> Int {
        guard isBinary else { return 1 + data.count }
        switch form {
        case .separated: return 1 + Base64.encodedCount(data.count)
        case .counted: return 2 + Base64.encodedCount(data.count)
        case .framed: return 1 + data.count
        }
    }

    /// What the counted form tells as the packet's length.
    private static func unitCount(_ data: Span<UInt8>, isBinary: Bool) -> Int {
        isBinary ? 2 + Base64.encodedCount(data.count) : 1 + EnginePayload.utf16Count(data)
    }

    private static func digitCount(_ number: Int) -> Int {
        var digits = 1
        var rest = number / 10
        while rest > 0 {
            digits += 1
            rest /= 10
        }
        return digits
    }
}
