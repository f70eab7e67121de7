import Wire

extension Client {
    struct Frame: Equatable {
        var opcode: WebSocketOpcode?
        var payload: [UInt8]
        var isFinal = true
        var isCompressed = false

        var text: String { String(decoding: payload, as: UTF8.self) }
        var closeCode: UInt16? {
            payload.count >= 2 ? UInt16(payload[0]) << 8 | UInt16(payload[1]) : nil
        }
    }

    static func upgradeRequest(
        _ target: String = "/ws", extensions: String? = nil, protocols: String? = nil
    ) -> String {
        "GET \(target) HTTP/1.1\r\nHost: h\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
            + "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n"
            + (extensions.map { "Sec-WebSocket-Extensions: \($0)\r\n" } ?? "")
            + (protocols.map { "Sec-WebSocket-Protocol: \($0)\r\n" } ?? "") + "\r\n"
    }

    func upgrade(_ target: String = "/ws", extensions: String? = nil) throws -> Response {
        try send(Self.upgradeRequest(target, extensions: extensions))
        return try readResponse()
    }

    static func frame(
        _ opcode: WebSocketOpcode, _ payload: [UInt8], fin: Bool = true, compressed: Bool = false
    ) -> [UInt8] {
        var bytes: [UInt8] = []
        WebSocketFrame.appendMasked(
            opcode, payload.span, key: 0x1234_5678, fin: fin, compressed: compressed, into: &bytes)
        return bytes
    }

    static func text(_ text: String) -> [UInt8] {
        frame(.text, Array(text.utf8))
    }

    static func close(_ code: UInt16?, _ reason: String = "") -> [UInt8] {
        var bytes: [UInt8] = []
        WebSocketFrame.appendMasked(closeCode: code, reason: reason, key: 7, into: &bytes)
        return bytes
    }

    func readFrame() throws -> Frame {
        let head = try read(2)
        guard head[1] & 0x80 == 0 else { throw Failure(description: "a server's frame is masked") }
        var length = Int(head[1] & 127)
        if length == 126 {
            length = try read(2).reduce(0) { $0 << 8 | Int($1) }
        } else if length == 127 {
            length = try read(8).reduce(0) { $0 << 8 | Int($1) }
        }
        return Frame(
            opcode: WebSocketOpcode(rawValue: head[0] & 15), payload: try read(length), isFinal: head[0] & 0x80 != 0,
            isCompressed: head[0] & 0x40 != 0)
    }
}
