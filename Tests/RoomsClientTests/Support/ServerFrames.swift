/// The WebSocket frames in what a server sends, whatever pieces it comes in: for proxies that change them.
struct ServerFrames {
    private var rest: [UInt8] = []
    private var isPastHead = false

    /// Lets `body` turn each frame's text into those that the client gets instead.
    mutating func rewrite(_ bytes: [UInt8], _ body: (String) -> [String]) -> [UInt8] {
        rest += bytes
        var out: [UInt8] = []
        if !isPastHead {
            guard let end = rest.indices.dropFirst(3).first(where: { Array(rest[$0 - 3...$0]) == [13, 10, 13, 10] })
            else { return [] }
            out += rest[...end]
            rest.removeFirst(end + 1)
            isPastHead = true
        }
        while let (header, length) = Self.header(rest), rest.count >= header + length {
            let frame = Array(rest[..<(header + length)])
            rest.removeFirst(header + length)
            guard frame[0] == 0x81 else {
                out += frame
                continue
            }
            let text = String(decoding: frame[header...], as: UTF8.self)
            for changed in body(text) { out += changed == text ? frame : Self.frame(changed) }
        }
        return out
    }

    private static func header(_ bytes: [UInt8]) -> (header: Int, length: Int)? {
        guard bytes.count >= 2 else { return nil }
        switch bytes[1] & 0x7F {
        case 126: return bytes.count < 4 ? nil : (4, Int(bytes[2]) << 8 | Int(bytes[3]))
        case 127:
            guard bytes.count >= 10 else { return nil }
            let length: Int = bytes[2..<10].reduce(0) { ($0 << 8) + Int($1) }
            return (10, length)
        case let length: return (2, Int(length))
        }
    }

    private static func frame(_ text: String) -> [UInt8] {
        let payload = Array(text.utf8)
        if payload.count < 126 { return [0x81, UInt8(payload.count)] + payload }
        if payload.count < 65_536 {
            return [0x81, 126, UInt8(payload.count >> 8), UInt8(payload.count & 0xFF)] + payload
        }
        let length: [UInt8] = (0..<8).reversed().map { UInt8(truncatingIfNeeded: payload.count >> ($0 * 8)) }
        return [0x81, 127] + length + payload
    }
}
