extension EnginePayload {
    /// Digits of a length in version 3. Nine reach beyond any body and cannot overflow.
    static let lengthDigitsMax = 9

    static func decodeCounted(_ body: Span<UInt8>, limits: Limits) throws(Failure) -> [EnginePacket] {
        guard body.count > 0 else { throw .empty }
        guard UTF8Validator.isValid(body) else { throw .notUTF8 }
        var packets: [EnginePacket] = []
        var index = 0
        while index < body.count {
            guard packets.count < limits.packetsMax else { throw .tooManyPackets }
            let units = try countedLength(body, &index)
            let end = try indexAfter(units, body, from: index)
            packets.append(try decodeText(body, index..<end, version: .v3))
            index = end
        }
        return packets
    }

    /// Reads `<digits>:` and leaves `index` behind the colon.
    private static func countedLength(_ body: Span<UInt8>, _ index: inout Int) throws(Failure) -> Int {
        let start = index
        var length = 0
        while index < body.count, body[index] != UInt8(ascii: ":") {
            guard ASCII.isDigit(body[index]), index - start < lengthDigitsMax else { throw .badLength }
            length = length * 10 + Int(body[index] &- 0x30)
            index += 1
        }
        guard index < body.count else { throw .truncated }
        guard index > start, body[start] != UInt8(ascii: "0") || index == start + 1 else { throw .badLength }
        index += 1
        return length
    }

    /// The index `units` UTF-16 code units behind `start` in valid UTF-8. A character of four bytes takes two units,
    /// and no packet may end between them.
    private static func indexAfter(
        _ units: Int, _ body: Span<UInt8>, from start: Int
    ) throws(Failure) -> Int {
        var index = start
        var left = units
        while left > 0 {
            guard index < body.count else { throw .truncated }
            let lead = body[index]
            switch lead {
            case 0xF0...:
                index += 4
                left -= 2
            case 0xE0...:
                index += 3
                left -= 1
            case 0xC0...:
                index += 2
                left -= 1
            default:
                index += 1
                left -= 1
            }
        }
        guard left == 0 else { throw .badLength }
        return index
    }

    /// The length of valid UTF-8 in UTF-16 code units: one for each byte that begins a character, one more for those
    /// that begin one of four bytes.
    static func utf16Count(_ text: Span<UInt8>) -> Int {
        var count = 0
        for index in text.indices {
            let byte = text[index]
            count &+= (byte & 0xC0 != 0x80 ? 1 : 0) &+ (byte >= 0xF0 ? 1 : 0)
        }
        return count
    }
}
