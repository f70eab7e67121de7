import Sessions
import Wire

/// What the public suite of the Socket.IO protocol expects of its namespaces.
final class SuiteNamespace: NamespaceHandler {
    func connected(_ socket: Socket) {
        socket.emit("auth", socket.auth)
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
