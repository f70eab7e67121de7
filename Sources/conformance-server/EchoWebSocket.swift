import Transport
import Wire

/// Echoes on the WebSockets that come to its path.
final class EchoService: HTTPService {
    private let compresses: Bool

    init(compresses: Bool) {
        self.compresses = compresses
    }

    func handle(_ exchange: HTTPExchange) {
        EchoWebSocket.accept(exchange, compresses: compresses)
    }
}

/// Sends every WebSocket message back unchanged, without Engine.IO.
///
/// The messages of a turn are kept as the frames to send, one after another, so no message needs an allocation.
final class EchoWebSocket: WebSocketHandler {
    /// A client that sends and does not read is closed when this much waits for it.
    static let waitingBytesMax = 64 << 20
    /// A buffer that grew beyond this is given back when it is empty.
    static let keptBytesMax = 64 << 10

    private let compresses: Bool
    private var webSocket: WebSocketConnection?
    private var frames: [UInt8] = []
    /// With compression, each frame's length depends on the compressor: messages are kept instead, one array each.
    private var messages: [(bytes: [UInt8], isBinary: Bool)] = []
    private var waitingBytes = 0

    private init(compresses: Bool) {
        self.compresses = compresses
    }

    static func accept(_ exchange: HTTPExchange, compresses: Bool) {
        guard case .upgrade(let offer) = exchange.head.webSocketUpgrade else {
            return exchange.respond(400, text: "A WebSocket is spoken here.\n")
        }
        let deflate = compresses ? PerMessageDeflate.negotiate(offers: offer.extensions) : nil
        let echo = EchoWebSocket(compresses: deflate != nil)
        guard let webSocket = exchange.upgrade(offer, deflate: deflate, handler: echo) else { return }
        echo.webSocket = webSocket
    }

    func received(_ message: Span<UInt8>, isBinary: Bool) {
        if waitingBytes == 0 { webSocket?.wantFlush() }
        // An empty message counts too.
        waitingBytes += message.count + 1
        guard waitingBytes <= Self.waitingBytesMax else {
            webSocket?.close(code: 1008, reason: "reads too slowly")
            return
        }
        if compresses {
            messages.append((message.withUnsafeBufferPointer { Array($0) }, isBinary))
        } else {
            WebSocketFrame.append(isBinary ? .binary : .text, message, into: &frames)
        }
    }

    func flush() {
        guard let webSocket else { return }
        for message in messages {
            _ = message.bytes.withUnsafeBytes { webSocket.write($0, isBinary: message.isBinary) }
        }
        messages = []
        if !frames.isEmpty {
            _ = frames.withUnsafeBytes { webSocket.writeEncoded($0) }
            frames.removeAll(keepingCapacity: frames.capacity <= Self.keptBytesMax)
        }
        waitingBytes = 0
    }

    func closed(code: UInt16, reason: CloseReason) {
        webSocket = nil
    }
}
