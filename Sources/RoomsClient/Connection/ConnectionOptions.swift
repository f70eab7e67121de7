import Wire

/// How a session is carried.
public enum ClientTransport: String, Sendable, CaseIterable {
    /// A WebSocket from the first byte: the quickest.
    case webSocket = "websocket"
    /// Long-polling, then a WebSocket if there is a way for one: gets through more proxies.
    case pollingThenWebSocket = "upgrade"
    /// Long-polling alone.
    case polling = "polling"
}

struct ConnectionOptions {
    var transport = ClientTransport.webSocket
    /// Nil where the server's address wants no TLS.
    var trust: TLSTrust?
    var connectTimeoutMilliseconds: Int64 = 10_000
    var webSocketLimits = WebSocketLimits(frameBytesMax: 16 << 20, messageBytesMax: 16 << 20)
    var userAgent = "RoomsClient"
    /// A room by which a load balancer may choose the server.
    var room: String?
}
