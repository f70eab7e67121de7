/// Why a connection ended. The name is what logs and metrics show.
public enum CloseReason: String, Sendable, CaseIterable {
    /// The peer closed its side.
    case peerClosed = "peer_closed"
    /// The socket failed: reset, unreachable, broken pipe.
    case socketError = "socket_error"
    /// The TLS handshake or a record failed.
    case tlsError = "tls_error"
    /// What the peer sent is not the protocol.
    case protocolError = "protocol_error"
    /// The TLS handshake and the first request's head took too long.
    case handshakeTimeout = "handshake_timeout"
    /// A request's head took too long.
    case headTimeout = "head_timeout"
    /// A request's body took too long.
    case bodyTimeout = "body_timeout"
    /// Nothing came on a kept-alive connection.
    case idleTimeout = "idle_timeout"
    /// The peer read so slowly that what had to be kept for it exceeded its bound.
    case slowReader = "slow_reader"
    /// A limit on connections refused it.
    case refused = "refused"
    /// The owner closed it, after all was said.
    case finished = "finished"
    /// The server is stopping.
    case serverStopping = "server_stopping"
    /// The connection went on to another shard, or could not.
    case moved = "moved"
}
