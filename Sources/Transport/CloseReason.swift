/// Why a connection ended. The name is what logs and metrics show.
public enum CloseReason: String, Sendable, CaseIterable {
    /// The peer closed its side.
    case peerClosed = "peer_closed"
    /// The socket failed: reset, unreachable, broken pipe.
    case socketError = "socket_error"
    /// The TLS handshake or a record failed.
    case tlsError = "tls_error"
    /// The peer's input breaks the protocol.
    case protocolError = "protocol_error"
    /// The TLS handshake and the first request's head took too long.
    case handshakeTimeout = "handshake_timeout"
    /// A kept-alive connection was silent for too long.
    case idleTimeout = "idle_timeout"
    /// The peer read so slowly that the bytes that wait for it exceeded their bound.
    case slowReader = "slow_reader"
    /// A limit on connections refused it.
    case refused = "refused"
    /// The owner closed it after the last byte was sent.
    case finished = "finished"
    /// The server is stopping.
    case serverStopping = "server_stopping"
    /// The connection moved to another shard, or failed to.
    case moved = "moved"
}
