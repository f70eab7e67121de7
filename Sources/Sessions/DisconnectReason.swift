/// Why a session, or a socket of a namespace, ended. Users of Socket.IO know the names.
public enum DisconnectReason: String, Sendable, CaseIterable {
    /// The client closed the session, or its connection was lost.
    case transportClose = "transport close"
    /// The input broke the protocol of the transport, or the transport failed.
    case transportError = "transport error"
    /// The client was silent for too long.
    case pingTimeout = "ping timeout"
    /// The input is not Socket.IO.
    case parseError = "parse error"
    /// The client left the namespace.
    case clientNamespaceDisconnect = "client namespace disconnect"
    /// The application ended the socket.
    case serverNamespaceDisconnect = "server namespace disconnect"
    /// The application ended the session.
    case forcedServerClose = "forced server close"
    /// The client connected to no namespace in time, or sent packets in the wrong order.
    case forcedClose = "forced close"
    /// More bytes waited for the client than the server keeps.
    case slowReader = "slow reader"
    /// The client sent more packets than the server accepts.
    case tooManyPackets = "too many packets"
    case serverShuttingDown = "server shutting down"
    /// The client had connected to no namespace, and another one needed its place.
    case displaced = "displaced"

    /// Whether the server ended it, so that the client can still be told.
    var isOurs: Bool {
        switch self {
        case .serverNamespaceDisconnect, .forcedServerClose, .forcedClose, .tooManyPackets, .serverShuttingDown: true
        case .transportClose, .transportError, .pingTimeout, .parseError, .clientNamespaceDisconnect, .slowReader: false
        // Its place is taken: it cannot stay for a farewell.
        case .displaced: false
        }
    }
}
