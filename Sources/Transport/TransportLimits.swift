import Wire

/// Every bound of the transport, its unit last in its name.
public struct TransportLimits: Sendable {
    /// Open connections of the whole server. Past it: 503 with `Retry-After`, then close.
    public var connectionsMax = 100_000
    /// Open connections from one address; 0: no bound. Loopback is exempt. Past it: 503, then close.
    public var connectionsPerAddressMax = 0
    /// TLS handshakes begun per second over all shards; 0: no bound. Past it: accepting waits.
    public var tlsHandshakesPerSecondMax = 0
    /// From the accept to the end of the first request's head, TLS included. Past it: close.
    public var handshakeMilliseconds = 10_000
    /// From the first byte of a later request to the end of its head. Past it: 408, then close.
    public var headMilliseconds = 10_000
    /// From the end of a head to the end of its body. Past it: 408, then close.
    public var bodyMilliseconds = 60_000
    /// A streamed body earns a millisecond more for so many bytes: at least 8 KB per second. The same two bounds hold
    /// for an answer and the client that reads it. Past them: close, `slow_reader`.
    public var bodyBytesPerMillisecondMin = 8
    /// Between requests of a kept-alive connection. Past it: close.
    public var keepAliveMilliseconds = 65_000
    /// How long a WebSocket may be silent; 0: no bound. Past it: close.
    public var idleMilliseconds = 0
    /// How long a closing connection may take to read the last bytes and close its side. Past it: reset.
    public var lingerMilliseconds = 2_000
    /// Bytes of one turn's writes that the kernel did not take. Past it: close.
    public var tailBytesMax = 4 << 20
    /// The same for all HTTP answers together, on the whole server. Past it: a connection is closed when its client
    /// does not read its newest answer at once.
    public var unreadBytesMax = 128 << 20
    /// Bytes of further requests that are kept while a response is in progress. Past it: reading pauses.
    public var pipelineBytesMax = 64 << 10
    /// Bounds on a request's head.
    public var http = HTTPLimits()
    /// Bounds on WebSocket frames and messages. Past it: close 1009.
    public var webSocket = WebSocketLimits()

    public init() {}

    /// Refuses bounds that contradict one another.
    func assertRelations() {
        precondition(connectionsMax > 0, "connectionsMax must be positive")
        precondition(tailBytesMax >= 256 << 10, "tailBytesMax must hold one turn's writes")
        precondition(unreadBytesMax >= tailBytesMax, "unreadBytesMax must hold the tail of one connection")
        precondition(handshakeMilliseconds > 0 && headMilliseconds > 0 && bodyMilliseconds > 0)
        precondition(bodyBytesPerMillisecondMin > 0, "a streamed body must earn time by what comes of it")
        precondition(keepAliveMilliseconds > 0 && lingerMilliseconds > 0)
    }
}
