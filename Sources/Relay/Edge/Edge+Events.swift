import Identity
import Rooms
import Sessions
import Transport
import Wire

/// Events of clients: finds the kind of an event, checks it and calls its handler.
extension Edge {
    package func received(
        _ name: Span<UInt8>, _ arguments: Span<UInt8>, _ call: SocketCall, on socket: any RelaySocket
    ) {
        guard let client = socket.state as? RelayClient else { return }
        context.asOne { take(name, arguments, call, of: client) }
    }

    private func take(_ name: Span<UInt8>, _ arguments: Span<UInt8>, _ call: SocketCall, of client: RelayClient) {
        let event = ClientEvent(name)
        counters.totals.count(event)
        client.mayBeElsewhere = false
        do throws(RoomError) {
            try admit(client, event, arguments)
            guard let event else { throw RoomError(.validation, "There is no such event.") }
            if !client.joining.isEmpty, try hold(client, event, arguments, call) { return }
            try handle(client, event, arguments, call)
        } catch {
            refuse(client, event?.rawValue ?? Self.shown(name), error, call)
        }
    }

    private func handle(
        _ client: RelayClient, _ event: ClientEvent, _ arguments: Span<UInt8>, _ call: SocketCall
    ) throws(RoomError) {
        switch event {
        case .touchMove: try moveTouch(client, arguments, call)
        case .touchEnd: try endTouch(client, arguments, call)
        case .viewSet: try setView(client, arguments, call)
        case .roomJoin: try join(client, arguments, call)
        case .roomLeave: try leave(client, arguments, call)
        case .elementCreate: try createElement(client, arguments, call)
        case .elementUpdate: try updateElement(client, arguments, call)
        case .elementDelete: try deleteElement(client, arguments, call)
        case .elementEdit: try editElement(client, arguments, call)
        case .elementCaret: try setCaret(client, arguments, call)
        case .authRefresh: try refresh(client, arguments, call)
        }
    }

    private static let tokenKeys = JSONKeys("token")

    private func refresh(_ client: RelayClient, _ arguments: Span<UInt8>, _ call: SocketCall) throws(RoomError) {
        let field = try EventFields.read(Self.tokenKeys, arguments)[0]
        guard let token = field.string(in: arguments).map(TokenSource.withoutScheme) else {
            throw EventFields.invalid("token", "must be a string.")
        }
        guard !client.isRefreshing else {
            throw RoomError(
                .rateLimited, "The previous token is still being checked.",
                details: ClientFlow.Scope.connection.details(wait: 100))
        }
        client.isRefreshing = true
        admissions.refresh(client.admission, client.socket, token: token) { [unowned self] error in
            client.isRefreshing = false
            if let error {
                self.refuse(client, ClientEvent.authRefresh.rawValue, error, call)
            } else {
                self.accept(client, call)
            }
        }
    }

    /// A name from a client, shortened for the answer.
    private static func shown(_ name: Span<UInt8>) -> String {
        name.extracting(first: 64).withUnsafeBufferPointer { String(decoding: $0, as: UTF8.self) }
    }

    // MARK: Before a room has answered

    /// Keeps an event for a room that the client is just joining. Returns false for an event of another room.
    private func hold(
        _ client: RelayClient, _ event: ClientEvent, _ arguments: Span<UInt8>, _ call: SocketCall
    ) throws(RoomError) -> Bool {
        let field = try EventFields.read(Self.roomKeys, arguments)[0]
        guard let room = field.string(in: arguments).map(RoomID.init), client.joining.contains(room) else {
            return false
        }
        let bytes = arguments.withUnsafeBufferPointer { Array($0) }
        guard client.held.append(HeldEvents.Item(room: room, event: event, arguments: bytes, call: call)) else {
            throw RoomError(
                .rateLimited, "Too many events before the room was joined.",
                details: ClientFlow.Scope.connection.details(wait: 100)
            )
        }
        return true
    }

    /// A room has answered: handles the events that were kept for it. Events for rooms that have not answered go on
    /// waiting.
    func handleHeld(_ client: RelayClient) {
        for item in client.held.takeAll() where client.socket.isConnected {
            // A join among them makes the events after it wait again. They all fitted before.
            if client.joining.contains(item.room), client.held.append(item) { continue }
            do throws(RoomError) {
                try handle(client, item.event, item.arguments.span, item.call)
            } catch {
                refuse(client, item.event.rawValue, error, item.call)
            }
        }
    }

    // MARK: Answers

    /// Tells a client that its event succeeded. `members` are members of the ack besides `ok`, each with a comma in
    /// front.
    func accept(_ client: RelayClient, _ call: SocketCall, _ members: [UInt8] = []) {
        guard call.ackID != nil else { return }
        client.socket.acknowledge(call, Array(#"{"ok":true"#.utf8) + members + [UInt8(ascii: "}")])
    }
}

/// The events that clients may send.
package enum ClientEvent: String, CaseIterable {
    case touchMove = "touch:move"
    case touchEnd = "touch:end"
    case viewSet = "view:set"
    case roomJoin = "room:join"
    case roomLeave = "room:leave"
    case elementCreate = "element:create"
    case elementUpdate = "element:update"
    case elementDelete = "element:delete"
    case elementEdit = "element:edit"
    case elementCaret = "element:caret"
    case authRefresh = "auth:refresh"

    /// Nil for a name that is not an event of the relay.
    init?(_ name: Span<UInt8>) {
        for event in Self.byFrequency where name.equals(event.name) {
            self = event.event
            return
        }
        return nil
    }

    private static let byFrequency = Self.allCases.map { (event: $0, name: Array($0.rawValue.utf8)) }
}
