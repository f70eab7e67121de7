import Sessions
import Transport
import Wire

/// What the public suite of the Socket.IO protocol expects of its namespaces.
final class SuiteNamespace: NamespaceHandler {
    /// The suite listens for this event only once it has handled the packet before, and would miss it if both came in
    /// one segment, as they do when sent in one turn.
    func connected(_ socket: Socket) {
        let later = LoopTimer { [weak socket] in
            if let socket { socket.emit("auth", socket.auth) }
        }
        socket.session.shard.arm(later, in: 20)
    }

    func received(_ name: Span<UInt8>, _ arguments: Span<UInt8>, _ call: SocketCall, on socket: Socket) {
        let name = name.withUnsafeBufferPointer { String(decoding: $0, as: UTF8.self) }
        let arguments = arguments.withUnsafeBufferPointer { Array($0) }
        switch name {
        case "message": socket.emit("message-back", arguments, attachments: call.attachments)
        case "message-with-ack": socket.acknowledge(call, arguments, attachments: call.attachments)
        default: break
        }
    }

    func disconnected(_ socket: Socket, _ reason: DisconnectReason) {}
}
