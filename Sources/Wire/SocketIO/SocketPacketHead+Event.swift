extension SocketPacketHead {
    /// Finds the name at the start of an event's array and where the arguments begin behind it.
    mutating func readEvent(_ text: Span<UInt8>) throws(SocketPacketError) {
        let payload = payload
        guard Self.isArray(text, payload) else { throw .badPayload }
        let last = payload.upperBound - 1
        var index = Self.skipBlanks(text, from: payload.lowerBound + 1, to: last)
        if text[index] == UInt8(ascii: "\"") {
            try readQuotedName(text, &index, last: last)
        } else {
            try readNumberName(text, &index, last: last)
        }
        index = Self.skipBlanks(text, from: index, to: last)
        if index == last {
            arguments = last..<last
            return
        }
        guard text[index] == UInt8(ascii: ","), Self.skipBlanks(text, from: index + 1, to: last) < last else {
            throw .badPayload
        }
        arguments = index + 1..<last
    }

    private mutating func readQuotedName(
        _ text: Span<UInt8>, _ index: inout Int, last: Int
    ) throws(SocketPacketError) {
        let start = index + 1
        var end = start
        while end < last {
            let byte = text[end]
            if byte == UInt8(ascii: "\"") { break }
            guard byte >= 0x20 else { throw .badPayload }
            if byte == UInt8(ascii: "\\") {
                eventNameForm = .escaped
                end += 1
            }
            end += 1
        }
        // A backslash before the end can have skipped over it.
        guard end < last else { throw .badPayload }
        eventName = start..<end
        index = end + 1
        try refuseReservedName(text)
    }

    /// The reference takes numbers for names too. Whether it is a number of JSON is for the JSON scanner to say.
    private mutating func readNumberName(
        _ text: Span<UInt8>, _ index: inout Int, last: Int
    ) throws(SocketPacketError) {
        let start = index
        guard ASCII.isDigit(text[index]) || text[index] == UInt8(ascii: "-") else { throw .badPayload }
        index += 1
        while index < last, Self.isOfNumber(text[index]) { index += 1 }
        eventName = start..<index
        eventNameForm = .number
    }

    private static func isOfNumber(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x30...0x39, UInt8(ascii: "."), UInt8(ascii: "e"), UInt8(ascii: "E"), UInt8(ascii: "+"),
            UInt8(ascii: "-"):
            return true
        default:
            return false
        }
    }

    /// The first index from `start` on that holds no JSON white space, `end` at the latest.
    private static func skipBlanks(_ text: Span<UInt8>, from start: Int, to end: Int) -> Int {
        var index = start
        while index < end, text[index] <= 0x20, ASCII.isBlank(text[index]) || text[index] == 0x0A || text[index] == 0x0D
        {
            index += 1
        }
        return index
    }
}

extension SocketPacketHead {
    /// The event's name, whatever its form, with its escapes undone. Nil when they name no text: half a surrogate pair.
    public func unescapedEventName(_ text: Span<UInt8>) -> [UInt8]? {
        let name = text.extracting(eventName)
        guard eventNameForm == .escaped else { return name.withUnsafeBufferPointer { Array($0) } }
        return EscapedText.unescape(name)
    }

    /// Names with a meaning of their own at either end; a peer that could send them could feign that meaning. Mutating
    /// only because a head is large and would be copied for the call otherwise.
    private mutating func refuseReservedName(_ text: Span<UInt8>) throws(SocketPacketError) {
        if eventNameForm == .plain {
            if Self.isReserved(text.extracting(eventName)) { throw .reservedEventName }
            return
        }
        guard let name = unescapedEventName(text) else { throw .badPayload }
        if Self.isReserved(name.span) { throw .reservedEventName }
    }

    /// The length tells most other names apart already.
    static func isReserved(_ name: Span<UInt8>) -> Bool {
        switch name.count {
        case 7: return equals(name, "connect")
        case 10: return equals(name, "disconnect")
        case 11: return equals(name, "newListener")
        case 13: return equals(name, "connect_error") || equals(name, "disconnecting")
        case 14: return equals(name, "removeListener")
        default: return false
        }
    }

    private static func equals(_ name: Span<UInt8>, _ word: StaticString) -> Bool {
        word.withUTF8Buffer { letters in
            guard letters.count == name.count else { return false }
            for index in name.indices where name[index] != letters[index] { return false }
            return true
        }
    }
}
