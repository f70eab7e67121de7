/// Why something that a client was asked for did not come about.
public enum ClientError: Error, Equatable, Sendable {
    /// The address is not one of Rooms: `http`, `https`, `ws` or `wss`, a host, and nothing that does not belong there.
    case badAddress(String)
    /// No connection came about: the network, TLS, or an answer that is not the protocol's.
    case cannotConnect(String)
    /// The server does not let this client in. The same token will not do.
    case notAdmitted(code: String, message: String)
    /// The server refused an event.
    case refused(Refusal)
    /// The connection ended before the answer came. What was asked may have happened.
    case connectionLost
    /// There is no connection, and this is not something that waits for one.
    case notConnected
    /// The answer did not come in time. What was asked may have happened.
    case timedOut
    /// Too much waits for the connection already.
    case queueFull
    /// The client was closed.
    case closed
    /// An argument that cannot be sent.
    case badArgument(String)
}

/// The server's answer to an event that it does not do: see the errors in the protocol.
public struct Refusal: Equatable, Sendable {
    /// As in the protocol, such as `NOT_FOUND`.
    public let code: String
    public let message: String
    /// The member that is to blame.
    public let field: String?
    /// When to try again.
    public let retryAfterMilliseconds: Int?
    /// The element as it is, where the refusal is a conflict with it.
    public let element: Element?
    /// False when the server knows that a refused edit of a text was not made when it was sent before.
    public let isMade: Bool?

    public init(
        code: String, message: String, field: String? = nil, retryAfterMilliseconds: Int? = nil,
        element: Element? = nil, isMade: Bool? = nil
    ) {
        self.code = code
        self.message = message
        self.field = field
        self.retryAfterMilliseconds = retryAfterMilliseconds
        self.element = element
        self.isMade = isMade
    }
}
