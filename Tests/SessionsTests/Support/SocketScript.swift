import Transport
import Wire

@testable import Sessions

/// What the tests of Socket.IO have on the server's side of a namespace: one event for each thing to be tried.
final class SocketScript: NamespaceHandler {
    private let log: EventLog

    init(_ log: EventLog) {
        self.log = log
    }

    func connected(_ socket: Socket) {
        log.append("connected \(socket.namespace.name)")
    }

    func disconnected(_ socket: Socket, _ reason: DisconnectReason) {
        log.append("disconnected \(socket.namespace.name) \(reason.rawValue)")
    }

    func received(_ name: Span<UInt8>, _ arguments: Span<UInt8>, _ call: SocketCall, on socket: Socket) {
        let name = name.withUnsafeBufferPointer { String(decoding: $0, as: UTF8.self) }
        let arguments = arguments.withUnsafeBufferPointer { Array($0) }
        switch name {
        case "echo": socket.emit("echo", arguments, attachments: call.attachments)
        case "ack": socket.acknowledge(call, arguments, attachments: call.attachments)
        case "ask": ask(arguments, call, socket, within: 60_000)
        case "ask-briefly": ask(arguments, call, socket, within: 100)
        case "broadcast": socket.namespace.broadcast("news", arguments, attachments: call.attachments)
        case "others": socket.namespace.broadcast("news", arguments, attachments: call.attachments, except: socket)
        case "kick": socket.disconnect()
        case "kick-all": socket.disconnect(closingSession: true)
        case "shutdown": socket.session.service.closeAll(.serverShuttingDown)
        case "auth": socket.emit("auth", socket.auth)
        default: respond(name, arguments, socket)
        }
    }

    private func respond(_ name: String, _ arguments: [UInt8], _ socket: Socket) {
        let number = Int(String(decoding: arguments, as: UTF8.self)) ?? 0
        switch name {
        case "volatile":
            let sent = (0..<number).count { socket.emitVolatile("v", Array("\($0)".utf8)) }
            log.append("volatile \(sent)")
        case "flood": for index in 0..<number { socket.emit("n", Array("\(index)".utf8)) }
        case "fill", "fill-and-kick":
            let filling = Array(("\"" + String(repeating: "x", count: 1_000) + "\"").utf8)
            for _ in 0..<number { socket.emit("n", filling) }
            if name == "fill-and-kick" { socket.disconnect(closingSession: true) }
        case "ask-many":
            for _ in 0..<number {
                socket.emit("question", answerWithin: 60_000) { [log] in log.append(Self.text($0)) }
            }
        default: log.append("event \(name) \(String(decoding: arguments, as: UTF8.self))")
        }
    }

    private func ask(_ arguments: [UInt8], _ call: SocketCall, _ socket: Socket, within milliseconds: Int) {
        socket.emit("question", arguments, attachments: call.attachments, answerWithin: milliseconds) { [log] result in
            log.append(Self.text(result))
        }
    }

    private static func text(_ result: Socket.AckResult) -> String {
        switch result {
        case .answered(let bytes, let attachments):
            "answered \(String(decoding: bytes, as: UTF8.self)) \(attachments)"
        case .timedOut: "timed out"
        case .unavailable: "unavailable"
        }
    }
}
