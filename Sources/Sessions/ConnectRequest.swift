import Transport
import Wire

/// A client that wants to connect to a namespace, as one middleware has it before it.
public final class ConnectRequest {
    enum Outcome {
        case accepted
        case refused(message: String, data: [UInt8])
        /// The payload is no JSON object.
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

    /// Shows the client to each step in turn. `decided` is called once, at the latest by the last of them.
    static func pass(
        _ socket: Socket, _ steps: ArraySlice<Namespace.Middleware>, decided: @escaping (Outcome) -> Void
    ) {
        guard let step = steps.first else { return decided(.accepted) }
        step(ConnectRequest(socket, steps.dropFirst(), decided))
    }

    /// Passes the client on to the next middleware, and after the last lets it in.
    ///
    /// Each middleware has a request of its own and decides once: one that does so twice skips none of the others.
    ///
    /// - Parameter identity: what the client is told that its ids are, in place of a new one without a `pid`.
    public func proceed(as identity: SocketIdentity? = nil) {
        guard !isAnswered else { return }
        isAnswered = true
        if let identity { socket.adopt(identity) }
        Self.pass(socket, steps, decided: decided)
    }

    /// Ends the session of a client whose payload is no JSON object: for middlewares of handlers that check it themselves.
    public func reject() {
        guard !isAnswered else { return }
        isAnswered = true
        decided(.malformed)
    }

    /// Turns the client away. It is told the message and, where there is any, the data, which is JSON.
    public func refuse(_ message: String, data: [UInt8] = []) {
        guard !isAnswered else { return }
        isAnswered = true
        decided(.refused(message: message, data: data))
    }
}
