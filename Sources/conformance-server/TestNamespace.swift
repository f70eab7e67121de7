import Sessions
import Threads
import Transport
import Wire

/// A namespace with one event for each thing that the session layer can do, for tests with real clients.
final class TestNamespace: NamespaceHandler {
    static let name = "/test"

    private unowned let shard: Shard
    /// Why the last socket of the namespace, on any thread, was disconnected.
    private let lastReason: Locked<String>

    private init(_ shard: Shard, _ lastReason: Locked<String>) {
        self.shard = shard
        self.lastReason = lastReason
    }

    static func open(on server: SocketServer, _ lastReason: Locked<String>) {
        let handler = TestNamespace(server.shard, lastReason)
        server.open(name, handler).use { handler.check($0) }
    }

    /// `{"refuse":true}` is turned away, `{"defer":true}` is let in a little later.
    private func check(_ request: ConnectRequest) {
        guard let auth = try? JSONReader(request.socket.auth) else { return request.proceed() }
        if auth["refuse"] != nil {
            request.refuse("refused", data: Array(#"{"code":"NO"}"#.utf8))
        } else if auth["defer"]?.bool == true {
            shard.arm(LoopTimer { request.proceed() }, in: 50)
        } else {
            request.proceed()
        }
    }

    func connected(_ socket: Socket) {}

    func disconnected(_ socket: Socket, _ reason: DisconnectReason) {
        lastReason.withLock { $0 = reason.rawValue }
    }

    func received(_ name: Span<UInt8>, _ arguments: Span<UInt8>, _ call: SocketCall, on socket: Socket) {
        let name = name.withUnsafeBufferPointer { String(decoding: $0, as: UTF8.self) }
        let arguments = arguments.withUnsafeBufferPointer { Array($0) }
        switch name {
        case "echo": socket.emit("echo", arguments, attachments: call.attachments)
        case "ask": ask(arguments, call, socket, within: 30_000)
        case "ask-briefly": ask(arguments, call, socket, within: 1_000)
        case "broadcast": socket.namespace.broadcast("broadcast", arguments, attachments: call.attachments)
        case "broadcast-others":
            socket.namespace.broadcast("broadcast", arguments, attachments: call.attachments, except: socket)
        case "kick": socket.disconnect()
        case "kick-all": socket.disconnect(closingSession: true)
        case "count": socket.acknowledge(call, Self.json { $0.int(socket.namespace.socketCount) })
        case "whoami": socket.acknowledge(call, whoami(socket))
        case "last-disconnect":
            let reason = lastReason.withLock { $0 }
            socket.acknowledge(call, Self.json { $0.string(reason) })
        default: emitMany(name, Self.number(arguments), socket)
        }
    }

    private func ask(_ arguments: [UInt8], _ call: SocketCall, _ socket: Socket, within limit: Int) {
        socket.emit("question", arguments, attachments: call.attachments, answerWithin: limit) { [weak socket] result in
            switch result {
            case .answered(let answer, let attachments): socket?.emit("answered", answer, attachments: attachments)
            case .timedOut, .unavailable: socket?.emit("unanswered")
            }
        }
    }

    private func emitMany(_ name: String, _ count: Int, _ socket: Socket) {
        switch name {
        case "flood": for index in 0..<count { socket.emit("n", Self.json { $0.int(index) }) }
        case "volatile": for index in 0..<count { socket.emitVolatile("v", Self.json { $0.int(index) }) }
        case "big":
            let text = String(repeating: "x", count: count)
            socket.emit("big", Self.json { $0.string(text) })
        case "binary":
            let bytes = (0..<count).map { UInt8(truncatingIfNeeded: $0) }
            socket.emit("binary", Array(#"{"_placeholder":true,"num":0}"#.utf8), attachments: [bytes])
        default: break
        }
    }

    private func whoami(_ socket: Socket) -> [UInt8] {
        let handshake = socket.session.handshake
        return Self.json { json in
            json.beginObject()
            json.member("thread", shard.index)
            json.member("transport", socket.session.transportName)
            json.member("address", handshake.peer.text)
            json.key("headers")
            json.beginObject()
            json.member("user-agent", handshake.headers.first(named: "User-Agent") ?? "")
            json.endObject()
            json.key("query")
            json.beginObject()
            for (name, value) in handshake.queryItems { json.member(name, value) }
            json.endObject()
            json.endObject()
        }
    }

    /// The first argument as a number, at most a million.
    private static func number(_ arguments: [UInt8]) -> Int {
        guard let array = try? JSONReader([0x5b] + arguments + [0x5d]), let first = array.items?.first else { return 0 }
        return min(max(first.int ?? 0, 0), 1_000_000)
    }

    private static func json(_ body: (inout JSONWriter) -> Void) -> [UInt8] {
        var bytes: [UInt8] = []
        JSONWriter.write(into: &bytes) { body(&$0) }
        return bytes
    }
}
