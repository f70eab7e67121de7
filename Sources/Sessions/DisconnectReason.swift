/// Why a session, or a socket of a namespace, ended. The names are those that Socket.IO's users know.
public enum DisconnectReason: String, Sendable, CaseIterable {
    /// The client closed the session or its connection went away.
    case transportClose = "transport close"
    /// What came is not the protocol of the transport, or the transport failed.
    case transportError = "transport error"
    /// The client was silent for too long.
    case pingTimeout = "ping timeout"
    /// What came is not Socket.IO.
    case parseError = "parse error"
    /// The client left the namespace.
    case clientNamespaceDisconnect = "client namespace disconnect"
    /// The application ended the socket.
    case serverNamespaceDisconnect = "server namespace disconnect"
    /// The application ended the session.
    case forcedServerClose = "forced server close"
    /// The client connected to no namespace in time, or broke the order of packets.
    case forcedClose = "forced close"
    /// More waited for the client than is kept.
    case slowReader = "slow reader"
    /// More packets came than are taken, of whatever kind.
    case tooManyPackets = "too many packets"
    case serverShuttingDown = "server shutting down"

    /// Whether the server ended it of its own accord, so that the client is still there to be told.
    var isOurs: Bool {
        switch self {
        case .serverNamespaceDisconnect, .forcedServerClose, .forcedClose, .tooManyPackets, .serverShuttingDown: true
        case .transportClose, .transportError, .pingTimeout, .parseError, .clientNamespaceDisconnect, .slowReader: false
        }
    }
}
