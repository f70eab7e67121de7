import Media
import Rooms
import Threads
import Transport

/// Commands to rooms in use that do not come from their members. It may be called from any thread, and nothing here
/// blocks.
package final class RoomCommands: Sendable {
    package enum Outcome: Sendable, Equatable {
        case done
        /// The room is empty, so there are no members to tell.
        case notInUse
        case refused(RoomError)
        /// The server is overloaded, or stops.
        case unavailable
    }

    package typealias Done = @Sendable (Outcome) -> Void

    let mailboxes: [any RelayMailbox]
    let questions: Questions
    let cluster: RelayCluster?
    let bans: BanList
    let consultant: Locked<RelayHub.Consultant?>
    let condemned: CondemnedMedia

    package init(_ mailboxes: [any RelayMailbox], _ hub: RelayHub) {
        self.mailboxes = mailboxes
        questions = hub.questions
        cluster = hub.cluster
        bans = hub.bans
        consultant = hub.consultant
        condemned = hub.condemned
    }

    /// Members get `room:renamed`.
    package func rename(_ roomID: String, to name: String, _ done: @escaping Done) {
        perform(.rename(name), roomID, done)
    }

    /// Sets a room's description, a JSON object, for later joins.
    package func setInfo(_ roomID: String, _ info: [UInt8], _ done: @escaping Done) {
        perform(.setInfo(info), roomID, done)
    }

    /// Members get `room:closed` and are not in the room any more. The directory decides who may join afterwards.
    package func close(_ roomID: String, reason: String, _ done: @escaping Done) {
        changePermissions(of: roomID)
        perform(.close(reason: reason), roomID, done)
    }

    /// A user's connections get `room:closed`, the others get `user:left`. The answer is `notFound` when the user is
    /// not in the room.
    package func expel(_ personID: String, from roomID: String, reason: String, _ done: @escaping Done) {
        changePermissions(of: roomID)
        perform(.expel(personID, reason: reason), roomID, done)
    }

    /// Members get `participant:added`. Later joins get the description `info`.
    package func tellAdded(_ participant: [UInt8], to roomID: String, info: [UInt8], _ done: @escaping Done) {
        perform(.tellAdded(participant, info: info), roomID, done)
    }

    /// Members get `participant:removed`. Call `expel` for the user first.
    package func tellRemoved(_ personID: String, from roomID: String, info: [UInt8], _ done: @escaping Done) {
        perform(.tellRemoved(personID, info: info), roomID, done)
    }

    /// Clients with a permission that are not in the room yet are looked up again.
    private func changePermissions(of roomID: String) {
        let roomID = RoomID(roomID)
        // Even when the home takes no command: a join with an old permission must not succeed meanwhile.
        mailboxes[roomID.homeShard(of: mailboxes.count)].insist(RelayMessage.home(roomID, .permissionsChanged))
        // A node that has asked the directory may be the room's next home.
        for node in cluster?.link.others ?? [] { _ = cluster?.link.send(.home(roomID, .permissionsChanged), to: node) }
    }

    /// The ids of the users who have a connection in a room; nil when the answer cannot be given now. A client that
    /// waits for a room to be read gets the whole state once the room is there.
    package func connectedPeople(in roomID: String, _ answer: @escaping @Sendable ([String]?) -> Void) {
        ask(.connectedPeople, roomID) { given in
            if case .people(let people) = given { answer(people) } else { answer(nil) }
        }
    }

    /// Calls back when everything that members of a room have got is stored; at once, when the room is not in use. It
    /// calls back with an error when this cannot be said now.
    package func whenStored(_ roomID: String, _ done: @escaping @Sendable (RoomError?) -> Void) {
        ask(.whenStored, roomID) { given in
            if case .stored(let error) = given { done(error) } else { done(Edge.overwhelmed) }
        }
    }

    private func perform(_ command: RoomCommand, _ roomID: String, _ done: @escaping Done) {
        ask(command, roomID) { given in
            if case .outcome(let outcome) = given { done(outcome) } else { done(.unavailable) }
        }
    }

    private func ask(_ command: RoomCommand, _ roomID: String, _ done: @escaping Questions.Done) {
        let roomID = RoomID(roomID)
        ask(roomID.homeShard(of: mailboxes.count), done) { .home(roomID, .command(command, question: $0)) }
    }

    /// Sends a shard a question. When the shard's mailbox is full, the question is answered at once.
    private func ask(_ shard: Int, _ done: @escaping Questions.Done, _ message: (UInt64) -> RelayMessage) {
        let number = questions.begin(to: shard, done)
        if !mailboxes[shard].post(message(number)) { questions.answer(number, .unavailable) }
    }
}

/// Changes of elements by users who need not be in the room. They take the same path as the events of members. A room
/// that is not in use is read for the change, and leaves memory again.
extension RoomCommands {
    /// The room and the user of a change.
    package struct ElementPlace: Sendable {
        let roomID: RoomID
        let info: [UInt8]
        let personID: String

        /// - Parameters:
        ///   - info: the room's description for clients, a JSON object.
        ///   - personID: a user with the permission to change the room.
        package init(roomID: String, info: [UInt8], personID: String) {
            self.roomID = RoomID(roomID)
            self.info = info
            self.personID = personID
        }
    }

    package struct ElementAnswer: Sendable {
        /// The element for clients. After a deletion: its last content, with the version of the deletion.
        package let json: [UInt8]
        /// False when the same creation has made it before.
        package let isNew: Bool
    }

    /// Called once: when the change is stored, or with the error.
    package typealias ElementDone = @Sendable (Result<ElementAnswer, RoomError>) -> Void

    /// - Parameters:
    ///   - json: an object with the members of `element:create`.
    ///   - clientID: the client's own id for the creation, if the object has none.
    package func createElement(
        _ json: [UInt8], clientID: String?, at place: ElementPlace, _ done: @escaping ElementDone
    ) {
        change(.create(json: json, clientID: clientID), place, done)
    }

    /// - Parameter json: an object with the members of `element:update`.
    package func updateElement(
        _ id: String, _ json: [UInt8], at place: ElementPlace, _ done: @escaping ElementDone
    ) {
        change(.update(id, json: json), place, done)
    }

    package func deleteElement(_ id: String, at place: ElementPlace, _ done: @escaping ElementDone) {
        change(.delete(id), place, done)
    }

    private func change(_ order: ElementOrder, _ place: ElementPlace, _ done: @escaping ElementDone) {
        let answered: Questions.Done = { given in
            guard case .element(let result) = given else { return done(.failure(Edge.overwhelmed)) }
            done(result.map { ElementAnswer(json: $0.json, isNew: $0.isNew) })
        }
        ask(place.roomID.homeShard(of: mailboxes.count), answered) { number in
            let asker = ElementAsker.person(place.personID, question: number)
            return .home(place.roomID, .changeFromOutside(order, info: place.info, asker))
        }
    }
}

/// Recordings of rooms in use.
extension RoomCommands {
    /// Calls back when the recording runs and members are told.
    package func startRecording(_ id: String, by personID: String, of roomID: String, _ done: @escaping Done) {
        perform(.startRecording(id, by: personID), roomID, done)
    }

    /// Calls back when the recording has ended; with `notInUse` when the room's home does not record it.
    package func stopRecording(_ id: String, of roomID: String, _ done: @escaping Done) {
        perform(.stopRecording(id), roomID, done)
    }
}
