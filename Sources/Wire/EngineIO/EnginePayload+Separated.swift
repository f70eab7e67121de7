extension EnginePayload {
    /// Parts the packets of a version-4 payload. The protocol relies on its not occurring in a packet's text, and what
    /// Socket.IO sends keeps to that: JSON escapes it, and namespaces with control characters are refused.
    static let separator: UInt8 = 0x1E

    static func decodeSeparated(_ body: Span<UInt8>, limits: Limits) throws(Failure) -> [EnginePacket] {
        guard UTF8Validator.isValid(body) else { throw .notUTF8 }
        var packets: [EnginePacket] = []
        var start = 0
        // One more than the last index: the end of the body ends the last packet. A body without a byte is one packet
        // without a type, and refused as such.
        for index in 0...body.count where index == body.count || body[index] == separator {
            guard packets.count < limits.packetsMax else { throw .tooManyPackets }
            packets.append(try decodeText(body, start..<index, version: .v4))
            start = index + 1
        }
        return packets
    }
}
