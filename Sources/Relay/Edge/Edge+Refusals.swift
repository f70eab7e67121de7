import Rooms
import Sessions
import Transport
import Wire

/// Limits on the events of clients, and the answers to refused events.
extension Edge {
    /// A middleware. A session's first CONNECT was counted with the session; each further one counts as much.
    func checkRate(of request: ConnectRequest) {
        let socket = request.socket
        let wait = socket.isFirst ? 0 : hub.flow.connectAgain(socket.session.peer, on: loop)
        guard wait > 0 else { return request.proceed() }
        counters.totals.countConnectExcess()
        var data: [UInt8] = []
        JSONWriter.write(into: &data) { json in
            json.beginObject()
            json.member("code", RoomError.Code.rateLimited.rawValue)
            json.member("details", raw: ClientFlow.Scope.address.details(wait: wait).span)
            json.endObject()
        }
        request.refuse(Self.tooMany(wait), data: data)
    }

    /// Admits an event, or throws an error that says how long to wait.
    func admit(
        _ client: RelayClient, _ event: ClientEvent?, _ arguments: Span<UInt8>
    ) throws(RoomError) {
        let excess =
            event == .touchMove
            ? client.flow.takeTouch(now: loop.now)
            : client.flow.takeEvent(weight: weight(of: event, arguments, client), now: loop.now)
        guard let (wait, scope) = excess else { return }
        counters.totals.countExcess(scope, ofTouches: event == .touchMove)
        throw RoomError(.rateLimited, Self.tooMany(wait), details: scope.details(wait: wait))
    }

    /// As how many events one event counts: expensive events may come less often.
    private func weight(of event: ClientEvent?, _ arguments: Span<UInt8>, _ client: RelayClient) -> Int {
        switch event {
        case .roomJoin:
            // The connection is in the room already, or about to be. It needs no other copy of the state.
            let field = try? EventFields.read(Self.roomKeys, arguments)[0]
            let room = field?.string(in: arguments).map(RoomID.init)
            return room.map(client.isComing(to:)) == true ? 10 : 3
        // The server has to verify a signature.
        case .authRefresh: return 10
        default: return 1
        }
    }

    private static func tooMany(_ wait: Int) -> String { "Too many events. Wait \(wait) ms." }

    // MARK: Refusals

    /// Tells a client why its event was refused: in the ack, or as event `error`. A client that goes on is warned, and
    /// finally disconnected.
    func refuse(_ client: RelayClient, _ event: String, _ error: RoomError, _ call: SocketCall) {
        counters.totals.countRefusal(error.code)
        // It is not the client's fault.
        if error.code == .server { return tell(client, event, error, call) }
        switch client.flow.countRefusal(now: loop.now) {
        case .none: tell(client, event, error, call)
        case .warning(let count):
            tell(client, event, error, call)
            let message = "Too many events are refused. After \(count) more this connection is closed."
            emit(client, event, RoomError(.rateLimited, message, details: Self.closes(after: count)))
        case .close:
            let message = "Too many events were refused. This connection is closed."
            emit(client, event, RoomError(.rateLimited, message, details: Self.closes(after: 0)))
            client.socket.disconnect(closingSession: true)
        }
    }

    private static func closes(after count: Int) -> [UInt8] { Array("{\"closesAfter\":\(count)}".utf8) }

    private func tell(_ client: RelayClient, _ event: String, _ error: RoomError, _ call: SocketCall) {
        guard call.ackID != nil else { return emit(client, event, error) }
        let object = Self.object(error, event: nil)
        client.socket.acknowledge(call, Array(#"{"ok":false,"error":"#.utf8) + object + [UInt8(ascii: "}")])
    }

    private func emit(_ client: RelayClient, _ event: String, _ error: RoomError) {
        var message: [UInt8] = []
        message.appendJSONString(error.message.utf8.span)
        client.socket.emit("error", message + [UInt8(ascii: ",")] + Self.object(error, event: event))
    }

    private static func object(_ error: RoomError, event: String?) -> [UInt8] {
        var object: [UInt8] = []
        JSONWriter.write(into: &object) { json in
            json.beginObject()
            json.member("code", error.code.rawValue)
            json.member("message", error.message)
            if !error.details.isEmpty { json.member("details", raw: error.details.span) }
            if let event { json.member("event", event) }
            json.endObject()
        }
        return object
    }
}
