import Transport
import Wire

/// A client that wants to connect to a namespace, while it is looked at.
public final class ConnectRequest {
    public let socket: Socket
    private let steps: [Namespace.Middleware]
    private var next = 0
    private var isDecided = false
    private let decided: (Outcome) -> Void

    enum Outcome {
        case accepted
        case refused(message: String, data: [UInt8])
    }

    init(_ socket: Socket, _ steps: [Namespace.Middleware], decided: @escaping (Outcome) -> Void) {
        self.socket = socket
        self.steps = steps
        self.decided = decided
    }

    /// Passes the client on to the next middleware, and after the last lets it in.
    public func proceed() {
        guard !isDecided else { return }
        guard next < steps.count else {
            isDecided = true
            return decided(.accepted)
        }
        let step = steps[next]
        next += 1
        step(self)
    }

    /// Turns the client away. It is told the message and, where there is any, the data, which is JSON.
    public func refuse(_ message: String, data: [UInt8] = []) {
        guard !isDecided else { return }
        isDecided = true
        decided(.refused(message: message, data: data))
    }
}
