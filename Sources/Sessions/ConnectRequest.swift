import Transport
import Wire

/// A client that wants to connect to a namespace, as one middleware sees it.
public final class ConnectRequest {
    enum Outcome {
        case accepted
        case refused(message: String, data: [UInt8])
        /// The payload is not a JSON object.
        case malformed
    }

    public let socket: Socket
    private let steps: ArraySlice<Namespace.Middleware>
    private let decided: (Outcome) -> Void
    private var isAnswered = false

    private init(
        _ socket: Socket, _ steps: ArraySlice<Namespace.Middleware>, _ decided: @escaping (Outcome) -> Void
    ) {
        self.socket = socket
        self.steps = steps
        self.decided = decided
    }

    /// Passes the client through the steps, one after another. `decided` is called once, at the latest by the last
    /// step.
    static func pass(
        _ socket: Socket, _ steps: ArraySlice<Namespace.Middleware>, decided: @escaping (Outcome) -> Void
    ) {
        guard let step = steps.first else { return decided(.accepted) }
        step(ConnectRequest(socket, steps.dropFirst(), decided))
    }

    /// Passes the client on to the next middleware; the last one accepts it.
    ///
    /// Each middleware has its own request and decides once. A second decision has no effect on the others.
    ///
    /// - Parameter identity: the ids that the client is told, in place of a new one without a `pid`.
    public func proceed(as identity: SocketIdentity? = nil) {
        guard !isAnswered else { return }
        isAnswered = true
        if let identity { socket.adopt(identity) }
        Self.pass(socket, steps, decided: decided)
    }

    /// Ends the session of a client whose payload is not a JSON object. It is for middlewares of handlers that check
    /// the payload themselves.
    public func reject() {
        guard !isAnswered else { return }
        isAnswered = true
        decided(.malformed)
    }

    /// Refuses the client. It gets the message and the data (JSON), if there is any.
    public func refuse(_ message: String, data: [UInt8] = []) {
        guard !isAnswered else { return }
        isAnswered = true
        decided(.refused(message: message, data: data))
    }
}
