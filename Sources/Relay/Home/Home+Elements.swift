import Media
import Rooms
import Sessions
import Store
import Transport
import Wire

/// Changes of elements, from members and from REST.
extension Home {
    /// A change from REST. An invalid change is refused before its room is read.
    func change(_ id: RoomID, _ info: [UInt8], _ order: ElementOrder, _ asker: ElementAsker) {
        do throws(RoomError) {
            withRoom(id, info, .change(try read(order), asker))
        } catch {
            answer(asker, .failure(error), id)
        }
    }

    private func read(_ order: ElementOrder) throws(RoomError) -> ElementRequest {
        let reading = ElementReading(limits: configuration.room)
        switch order {
        case .create(let json, let clientID):
            var creation = try reading.creation(EventFields.read(ElementReading.createKeys, json.span), json.span)
            creation.clientID = creation.clientID ?? clientID
            return .create(creation)
        case .update(let id, let json):
            return try reading.update(of: id, EventFields.read(ElementReading.updateKeys, json.span), json.span)
        case .delete(let id): return .delete(id)
        }
    }

    func change(_ home: HomeRoom, _ request: ElementRequest, _ asker: ElementAsker) {
        do throws(RoomError) {
            try checkTakesChanges(home)
            let outcome = try apply(request, by: try author(asker, in: home), home)
            changed(home)
            // A member that wants no ack is told only of a refusal.
            if case .member(let connection, _, let call) = asker, call.ackID == nil {
                if connection.node == hub.node { return }
                return context.post(.outpost(home.id, .changed(connection), from: hub.node), to: connection.node)
            }
            whenStored(home, answer: .change(asker, .success(outcome)))
        } catch {
            guard error.code == .conflict else { return answer(asker, .failure(error), home.id) }
            // It has the element as it is now. A client that goes on from there must not know more than the store after a crash.
            whenStored(home, answer: .change(asker, .failure(error)))
        }
    }

    func answer(_ asker: ElementAsker, _ result: Result<ElementOutcome, RoomError>, _ room: RoomID) {
        switch asker {
        case .member(let connection, let event, let call):
            switch result {
            case .success(let outcome): tell(connection, .changed(call, outcome), room)
            case .failure(let error): tell(connection, .refused(event, call, error), room)
            }
        case .person(_, let question): answer(question, .element(result))
        }
    }

    private func author(_ asker: ElementAsker, in home: HomeRoom) throws(RoomError) -> Author {
        switch asker {
        case .member(let connection, _, _): try home.room.author(connection)
        case .person(let id, _): Author(id)
        }
    }

    private func apply(
        _ request: ElementRequest, by author: Author, _ home: HomeRoom
    ) throws(RoomError) -> ElementOutcome {
        let roomJSON = home.room.idJSON
        switch request {
        case .create(let creation):
            try checkFiles(creation.values)
            var random = random
            let id = RandomID.make(using: &random)
            let element = try home.room.create(creation, by: author, newID: id, at: now)
            return ElementOutcome(element: element, roomJSON: roomJSON, isNew: element.id == id)
        case .update(let id, let changes, let version, let baseVersion):
            try checkFiles(changes.map { $0 ?? [] })
            let element = try home.room.update(
                id, changes, version: version, baseVersion: baseVersion, by: author, at: now)
            return ElementOutcome(element: element, roomJSON: roomJSON)
        case .edit(let edit):
            let edited = try home.room.edit(edit, by: author, at: now)
            return ElementOutcome(element: edited.element, roomJSON: roomJSON, isKnownText: edited.isDirect)
        case .delete(let id, let version):
            let element = try home.room.delete(id, version: version, by: author)
            return ElementOutcome(element: element, roomJSON: roomJSON, isDeletion: true)
        }
    }

    /// A file that no element has shown for long may be about to be deleted.
    private func checkFiles(_ values: Element.Values) throws(RoomError) {
        guard hub.condemned.isAny, hub.mediaOf(values).contains(where: hub.condemned.contains) else { return }
        throw RoomError(.validation, "The file was deleted, because no element showed it.")
    }

    /// The keys of files that elements show and the store does not know yet.
    func mediaNotStored() -> Set<String> {
        var keys: Set<String> = []
        for home in Array(rooms.values) + settling.values {
            keys.formUnion(home.journal?.backlog.media ?? [])
            for record in home.room.records {
                switch record.effect {
                case .created(let element, _), .updated(let element): keys.formUnion(hub.mediaOf(element.values))
                default: break
                }
            }
        }
        return keys
    }
}
