import Transport
import Wire

/// Sends every WebSocket message back as it came, without Engine.IO.
final class EchoWebSocket: WebSocketHandler {
    private unowned let shard: Shard
    private var webSocket: WebSocketConnection?
    private var waiting: [(bytes: [UInt8], isBinary: Bool)] = []

    private init(_ shard: Shard) {
        self.shard = shard
    }

    static func accept(_ exchange: HTTPExchange, compresses: Bool) {
        guard case .upgrade(let offer) = exchange.head.webSocketUpgrade, let shard = exchange.shard else {
            return exchange.respond(400, text: "A WebSocket is spoken here.\n")
        }
        let deflate = compresses ? PerMessageDeflate.negotiate(offers: offer.extensions) : nil
        let echo = EchoWebSocket(shard)
        guard let webSocket = exchange.upgrade(offer, deflate: deflate, handler: echo) else { return }
        echo.webSocket = webSocket
    }

    func received(_ message: Span<UInt8>, isBinary: Bool) {
        waiting.append((message.withUnsafeBufferPointer { Array($0) }, isBinary))
        webSocket?.wantFlush()
    }

    func flush() {
        while let next = waiting.first, let webSocket {
            waiting.removeFirst()
            if next.bytes.withUnsafeBytes({ webSocket.write($0, isBinary: next.isBinary) }) != .sent { return }
        }
    }

    func closed(code: UInt16, reason: CloseReason) {
        webSocket = nil
    }
}
