import Rooms
import Sessions
import Transport
import Wire

/// Events that change a room's elements.
extension Relay {
    var elementReading: ElementReading { ElementReading(limits: configuration.room) }

    func createElement(_ client: RelayClient, _ arguments: Span<UInt8>, _ call: SocketCall) throws(RoomError) {
        let fields = try EventFields.read(ElementReading.createKeys, arguments)
        guard let membership = client.membership(fields[8], in: arguments) else { throw notJoined(fields[8]) }
        let creation = try elementReading.creation(fields, arguments)
        change(client, membership.room, .elementCreate, call, .create(creation))
    }

    func updateElement(_ client: RelayClient, _ arguments: Span<UInt8>, _ call: SocketCall) throws(RoomError) {
        let fields = try EventFields.read(ElementReading.updateKeys, arguments)
        guard let membership = client.membership(fields[8], in: arguments) else { throw notJoined(fields[8]) }
        let id = try EventFields.id(fields[9], "elementId", arguments, limits: configuration.room)
        let update = try elementReading.update(of: id, fields, arguments)
        change(client, membership.room, .elementUpdate, call, update)
    }

    func deleteElement(_ client: RelayClient, _ arguments: Span<UInt8>, _ call: SocketCall) throws(RoomError) {
        let fields = try EventFields.read(ElementReading.deleteKeys, arguments)
        guard let membership = client.membership(fields[0], in: arguments) else { throw notJoined(fields[0]) }
        let id = try EventFields.id(fields[1], "elementId", arguments, limits: configuration.room)
        change(client, membership.room, .elementDelete, call, .delete(id))
    }

    /// Has a client's request done on the room's home shard.
    private func change(
        _ client: RelayClient, _ room: LocalRoom, _ event: ClientEvent, _ call: SocketCall, _ request: ElementRequest
    ) {
        let connection = client.id
        let asker = ElementAsker(side: .member(connection), wantsOutcome: call.ackID != nil) { relay, result in
            switch result {
            case .success(let outcome):
                let members = outcome.ackMembers
                relay.atClient(connection) { $0.accept($1, call, members) }
            case .failure(let error): relay.atClient(connection) { $0.refuse($1, event.rawValue, error, call) }
            }
        }
        let isPosted = atHome(room.id) { relay, home in
            guard let home else { return asker.answer(relay, .failure(RoomError(.notFound, "The room is closed."))) }
            relay.change(home, request, asker)
        }
        if !isPosted { refuse(client, event.rawValue, Self.overwhelmed, call) }
    }
}

/// What comes of it, on the room's home shard, whoever asks.
extension Relay {
    /// What is said when a shard takes nothing more.
    static let overwhelmed = RoomError(.server, "The server has too much to do; try again in a moment.")

    func change(_ home: HomeRoom, _ request: ElementRequest, _ asker: ElementAsker) {
        do throws(RoomError) {
            try checkTakesChanges(home)
            let outcome = try apply(request, by: try author(asker.side, in: home), home)
            changed(home)
            guard asker.wantsOutcome else { return }
            whenStored(home) { relay, error in
                asker.answer(relay, error.map { .failure($0) } ?? .success(outcome))
            }
        } catch {
            asker.answer(self, .failure(error))
        }
    }

    private func author(_ side: ElementAsker.Side, in home: HomeRoom) throws(RoomError) -> Author {
        switch side {
        case .member(let connection): try home.room.author(connection)
        case .person(let id): Author(id)
        }
    }

    private func apply(
        _ request: ElementRequest, by author: Author, _ home: HomeRoom
    ) throws(RoomError) -> ElementOutcome {
        let roomJSON = home.room.idJSON
        switch request {
        case .create(let creation):
            try checkFiles(creation.values)
            let id = RandomID.make()
            let element = try home.room.create(creation, by: author, newID: id, at: now)
            return ElementOutcome(element: element, roomJSON: roomJSON, isNew: element.id == id)
        case .update(let id, let changes, let version):
            try checkFiles(changes.map { $0 ?? [] })
            let element = try home.room.update(id, changes, version: version, by: author, at: now)
            return ElementOutcome(element: element, roomJSON: roomJSON)
        case .delete(let id):
            let element = try home.room.delete(id, by: author)
            return ElementOutcome(element: element, roomJSON: roomJSON, isDeletion: true)
        }
    }

    /// A file that nothing has shown for long may be on its way out.
    private func checkFiles(_ values: Element.Values) throws(RoomError) {
        guard hub.condemned.isAny, hub.mediaOf(values).contains(where: hub.condemned.contains) else { return }
        throw RoomError(.validation, "The file was deleted, since nothing showed it.")
    }
}
