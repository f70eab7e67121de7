/// The settings of a server's sessions.
public struct SessionConfiguration: Sendable {
    /// The path of Engine.IO, with a slash at both ends.
    public var path = "/socket.io/"
    /// The number of this server in its cluster, which the ids of sessions begin with; 0 for a server of its own.
    public var node = 0
    public var pingIntervalMilliseconds = 25_000
    public var pingTimeoutMilliseconds = 20_000
    /// The largest message and the largest body of a polling request, told to clients in the handshake.
    public var maxPayloadBytes = 1_000_000
    /// How long a client may take from the probe of a WebSocket to its use. Past it: the WebSocket is closed, the
    /// session stays on polling.
    public var upgradeMilliseconds = 10_000
    /// How long after the upgrade the server accepts a POST that the client sent before it. Past it: the POST gets 400.
    public var lateBodyMilliseconds = 10_000
    /// How long messages wait after the upgrade of a client that may have a POST in progress: see `PollingTail`.
    public var lateBodyHoldMilliseconds = 100
    /// How long a client may take to connect to its first namespace. Past it: the connection is closed.
    public var connectMilliseconds = 45_000
    /// How long a client has to fetch its last packets after the server has ended the session. So long after the
    /// client's own close the server answers a poll that the close has overtaken.
    public var farewellMilliseconds = 5_000
    /// Whether clients of Engine.IO protocol 3 (Socket.IO 2) are served.
    public var allowsVersion3 = true
    public var allowsPolling = true
    public var allowsWebSocket = true
    /// Whether permessage-deflate is agreed on with clients that offer it.
    public var compresses = false
    /// Messages from this size on are compressed, where it was agreed on.
    public var compressionBytesMin = 1_024
    public var origins = OriginPolicy.any
    /// What is kept of the request with which a session began. Nil: all its headers and query items.
    public var keptRequest: KeptRequest?
    /// Sessions of all shards; 0: no bound. Past it: a new session is refused with 503.
    public var sessionsMax = 0
    /// Sessions without an accepted CONNECT; 0: no bound. Past it: a new session is refused with 503.
    public var sessionsPendingMax = 0
    /// Sessions that one address may have; 0: no bound. Past it: a new session of that address is refused with 503.
    public var sessionsPerAddressMax = 0
    /// The payload of a CONNECT, and the query behind its namespace. Past it: CONNECT_ERROR.
    public var connectBytesMax = 64 << 10
    /// Bytes that may wait for one client. Past it: the session ends with the reason `slow reader`.
    public var outboundBytesMax = 4 << 20
    public var outboundPacketsMax = 1 << 16
    /// The body of one polling response, unless a single packet is larger.
    public var pollBytesMax = 1 << 20
    /// Acks that one client may owe the server. Past it: the request for another ack fails at once.
    public var pendingAcksMax = 1_024
    /// Packets of any kind that one session may send in a second, and at once; 0: no bound. A ping or a pong of its
    /// WebSocket counts as one. Past it: the session ends with the reason `too many packets`.
    public var packetsPerSecondMax = 0
    /// As how many packets a CONNECT counts, because it makes middleware work.
    public var packetsPerConnect = 50
    /// Namespaces that one connection may be in.
    public var namespacesMax = 16

    public init() {}
}
