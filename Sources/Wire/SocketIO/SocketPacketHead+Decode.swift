extension SocketPacketHead {
    /// Takes apart a packet's text, which is valid UTF-8. Allocates nothing, unless an event's name holds escapes.
    ///
    ///     <type>[<attachments>-][<namespace>[?<query>],][<ack id>][<payload>]
    public static func decode(
        _ text: Span<UInt8>, version: SocketVersion = .v5, limits: SocketLimits = SocketLimits()
    ) throws(SocketPacketError) -> SocketPacketHead {
        guard text.count > 0 else { throw .empty }
        guard let type = SocketPacketType(digit: text[0]) else { throw .unknownType }
        var head = SocketPacketHead(type: type)
        var index = 1
        if type.isBinary {
            head.attachments = try attachmentCount(text, &index, max: limits.attachmentsMax)
        }
        if index < text.count, text[index] == UInt8(ascii: "/") {
            try head.readNamespace(text, &index, limits: limits)
        }
        if type.isEvent || type.isAck {
            if index < text.count, ASCII.isDigit(text[index]) { head.ackID = try ackID(text, &index) }
            guard head.ackID != nil || type.isEvent else { throw .badAckID }
        }
        head.payload = index..<text.count
        try head.checkPayload(text, version: version)
        return head
    }

    /// Reads `<count>-`.
    private static func attachmentCount(
        _ text: Span<UInt8>, _ index: inout Int, max: Int
    ) throws(SocketPacketError) -> Int {
        let start = index
        var count = 0
        while index < text.count, ASCII.isDigit(text[index]) {
            guard index == start || count > 0 else { throw .badAttachments }
            count = count * 10 + Int(text[index] &- 0x30)
            guard count <= max else { throw .tooManyAttachments }
            index += 1
        }
        guard index > start, index < text.count, text[index] == UInt8(ascii: "-") else { throw .badAttachments }
        index += 1
        return count
    }

    /// Reads a namespace up to its comma or, where nothing follows it, to the end.
    private mutating func readNamespace(
        _ text: Span<UInt8>, _ index: inout Int, limits: SocketLimits
    ) throws(SocketPacketError) {
        let start = index
        var nameEnd: Int?
        while index < text.count, text[index] != UInt8(ascii: ",") {
            let byte = text[index]
            guard byte >= 0x20, byte != 0x7F else { throw .badNamespace }
            if byte == UInt8(ascii: "?"), nameEnd == nil { nameEnd = index }
            index += 1
        }
        let name = start..<(nameEnd ?? index)
        let query = (nameEnd.map { $0 + 1 } ?? index)..<index
        guard name.count <= limits.namespaceBytesMax, query.count <= limits.queryBytesMax else {
            throw .namespaceTooLong
        }
        if name.count > 1 { namespace = name }
        if !query.isEmpty { self.query = query }
        if index < text.count { index += 1 }
    }

    private static func ackID(_ text: Span<UInt8>, _ index: inout Int) throws(SocketPacketError) -> UInt64 {
        let start = index
        var value: UInt64 = 0
        while index < text.count, ASCII.isDigit(text[index]) {
            guard index == start || value > 0 else { throw .badAckID }
            // Sixteen digits are read before the bound refuses more, so nothing overflows.
            value = value * 10 + UInt64(text[index] &- 0x30)
            guard value <= SocketLimits.ackIDMax else { throw .badAckID }
            index += 1
        }
        return value
    }

    /// Checks that the payload is of the kind that belongs to the type, by its first and last bytes.
    private mutating func checkPayload(
        _ text: Span<UInt8>, version: SocketVersion
    ) throws(SocketPacketError) {
        let payload = payload
        switch type {
        case .event, .binaryEvent:
            try readEvent(text)
        case .ack, .binaryAck:
            guard Self.isArray(text, payload) else { throw .badPayload }
            arguments = payload.lowerBound + 1..<payload.upperBound - 1
        case .connect:
            guard payload.isEmpty || (version == .v5 && Self.isObject(text, payload)) else { throw .badPayload }
        case .disconnect:
            guard payload.isEmpty else { throw .badPayload }
        case .connectError:
            guard payload.isEmpty || Self.isError(text, payload, version: version) else { throw .badPayload }
        }
    }

    /// Servers of version 4 say in an ERROR whatever the application gave them. Not numbers: those would read as the
    /// number of an ack.
    private static func isError(_ text: Span<UInt8>, _ payload: Range<Int>, version: SocketVersion) -> Bool {
        let quote = UInt8(ascii: "\"")
        if isObject(text, payload) || isEnclosed(text, payload, quote, quote) { return true }
        guard version == .v4 else { return false }
        switch text[payload.lowerBound] {
        case UInt8(ascii: "["): return isArray(text, payload)
        case UInt8(ascii: "t"), UInt8(ascii: "f"), UInt8(ascii: "n"): return true
        default: return false
        }
    }

    static func isArray(_ text: Span<UInt8>, _ payload: Range<Int>) -> Bool {
        isEnclosed(text, payload, UInt8(ascii: "["), UInt8(ascii: "]"))
    }

    private static func isObject(_ text: Span<UInt8>, _ payload: Range<Int>) -> Bool {
        isEnclosed(text, payload, UInt8(ascii: "{"), UInt8(ascii: "}"))
    }

    private static func isEnclosed(
        _ text: Span<UInt8>, _ payload: Range<Int>, _ first: UInt8, _ last: UInt8
    ) -> Bool {
        payload.count >= 2 && text[payload.lowerBound] == first && text[payload.upperBound - 1] == last
    }
}
