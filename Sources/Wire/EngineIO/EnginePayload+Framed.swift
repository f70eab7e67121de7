extension EnginePayload {
    static let textFrame: UInt8 = 0
    static let binaryFrame: UInt8 = 1
    static let frameLengthEnd: UInt8 = 0xFF

    static func decodeFramed(_ body: Span<UInt8>, limits: Limits) throws(Failure) -> [EnginePacket] {
        guard body.count > 0 else { throw .empty }
        var packets: [EnginePacket] = []
        var index = 0
        while index < body.count {
            guard packets.count < limits.packetsMax else { throw .tooManyPackets }
            let kind = body[index]
            guard kind == textFrame || kind == binaryFrame else { throw .unknownType }
            index += 1
            let length = try framedLength(body, &index)
            guard length <= body.count - index else { throw .truncated }
            let range = index..<index + length
            packets.append(try decodeFrame(body, range, isBinary: kind == binaryFrame))
            index = range.upperBound
        }
        return packets
    }

    private static func decodeFrame(
        _ body: Span<UInt8>, _ range: Range<Int>, isBinary: Bool
    ) throws(Failure) -> EnginePacket {
        let packet = body.extracting(range)
        guard isBinary else {
            guard UTF8Validator.isValid(packet) else { throw .notUTF8 }
            return try decodeText(body, range, version: .v3)
        }
        do {
            let frame = try EngineFrame.decode(binary: packet, version: .v3)
            return EnginePacket(frame.type, bytes(of: packet.extracting(frame.data)), isBinary: true)
        } catch {
            throw Failure(error)
        }
    }

    /// Reads the digits, which are bytes of the values 0 to 9, and leaves `index` behind the 0xFF.
    private static func framedLength(_ body: Span<UInt8>, _ index: inout Int) throws(Failure) -> Int {
        let start = index
        var length = 0
        while index < body.count, body[index] != frameLengthEnd {
            guard body[index] < 10, index - start < lengthDigitsMax else { throw .badLength }
            length = length * 10 + Int(body[index])
            index += 1
        }
        guard index < body.count else { throw .truncated }
        guard index > start, body[start] != 0 || index == start + 1 else { throw .badLength }
        index += 1
        return length
    }
}
