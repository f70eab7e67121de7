import Rooms
import Transport
import Wire

/// What people do to elements who need not be in the room: by the same way as the events of those who are. A room that is
/// not in use is read for that, and goes from memory again.
extension RoomCommands {
    /// Who does something, and where.
    public struct ElementPlace: Sendable {
        let roomID: RoomID
        let info: [UInt8]
        let personID: String

        /// - Parameters:
        ///   - info: the room as clients are shown it, a JSON object.
        ///   - personID: somebody who may.
        public init(roomID: String, info: [UInt8], personID: String) {
            self.roomID = RoomID(roomID)
            self.info = info
            self.personID = personID
        }
    }

    public struct ElementAnswer: Sendable {
        /// The element as clients get it. After a deletion: as it was, with the deletion's version.
        public let json: [UInt8]
        /// False when the same creation has made it before.
        public let isNew: Bool
    }

    /// Called once: when the change is stored, or with why it was not made.
    public typealias ElementDone = @Sendable (Result<ElementAnswer, RoomError>) -> Void

    /// - Parameters:
    ///   - json: an object with the members of `element:create`.
    ///   - clientID: the client's own name for the creation, where the object has none.
    public func createElement(
        _ json: [UInt8], clientID: String?, at place: ElementPlace, _ done: @escaping ElementDone
    ) {
        change(place, done) { relay throws(RoomError) in
            let fields = try EventFields.read(ElementReading.createKeys, json.span)
            var creation = try relay.elementReading.creation(fields, json.span)
            creation.clientID = creation.clientID ?? clientID
            return .create(creation)
        }
    }

    /// - Parameter json: an object with the members of `element:update`.
    public func updateElement(
        _ id: String, _ json: [UInt8], at place: ElementPlace, _ done: @escaping ElementDone
    ) {
        change(place, done) { relay throws(RoomError) in
            let fields = try EventFields.read(ElementReading.updateKeys, json.span)
            return try relay.elementReading.update(of: id, fields, json.span)
        }
    }

    public func deleteElement(_ id: String, at place: ElementPlace, _ done: @escaping ElementDone) {
        change(place, done) { _ throws(RoomError) in .delete(id) }
    }

    /// Calls back when all that members of a room have been told is stored: at once, when the room is not in use. With an
    /// error when that cannot be said now.
    public func whenStored(_ roomID: String, _ done: @escaping @Sendable (RoomError?) -> Void) {
        let reply = Reply<RoomError?>(otherwise: Relay.overwhelmed, done)
        let roomID = RoomID(roomID)
        post(to: roomID) { relay in
            guard let home = relay.homes[roomID] ?? relay.settling[roomID] else { return reply.give(nil) }
            // Those who wait are bounded.
            guard !home.isFull else { return reply.give(RoomJournal.takesNothing) }
            relay.whenStored(home) { _, error in reply.give(error.map { _ in RoomJournal.takesNothing }) }
        }
    }

    private func change(
        _ place: ElementPlace, _ done: @escaping ElementDone,
        _ read: @escaping @Sendable (Relay) throws(RoomError) -> ElementRequest
    ) {
        let reply = Reply(otherwise: .failure(Relay.overwhelmed), done)
        let asker = ElementAsker(side: .person(place.personID)) { _, result in
            reply.give(result.map { ElementAnswer(json: $0.json, isNew: $0.isNew) })
        }
        post(to: place.roomID) { relay in
            let request: ElementRequest
            do throws(RoomError) {
                request = try read(relay)
            } catch {
                return asker.answer(relay, .failure(error))
            }
            let waiting = LoadingRoom.Waiting(connection: nil) { relay, home in
                switch home {
                case .failure(let error): asker.answer(relay, .failure(error))
                case .success(let home):
                    relay.change(home, request, asker)
                    relay.closeIfEmpty(home)
                }
            }
            relay.withHome(place.roomID, place.info, waiting)
        }
    }
}
