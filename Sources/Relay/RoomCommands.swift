import Rooms
import Threads
import Transport

/// What others than members do to rooms that are in use. Called from any thread; nothing here waits.
package final class RoomCommands: Sendable {
    package enum Outcome: Sendable, Equatable {
        case done
        /// Nobody is in the room: there is nobody to be told.
        case notInUse
        case refused(RoomError)
        /// The server is overwhelmed, or stops.
        case unavailable
    }

    package typealias Done = @Sendable (Outcome) -> Void

    private let mailboxes: [any RelayMailbox]
    private let questions: Questions

    package init(_ mailboxes: [any RelayMailbox], _ hub: RelayHub) {
        self.mailboxes = mailboxes
        questions = hub.questions
    }

    /// Members get `room:renamed`.
    package func rename(_ roomID: String, to name: String, _ done: @escaping Done) {
        perform(.rename(name), roomID, done)
    }

    /// Describes a room anew, a JSON object, to clients that join from now on.
    package func setInfo(_ roomID: String, _ info: [UInt8], _ done: @escaping Done) {
        perform(.setInfo(info), roomID, done)
    }

    /// Members get `room:closed` and are in the room no more. Who may come in afterwards is up to the directory.
    package func close(_ roomID: String, reason: String, _ done: @escaping Done) {
        changePermissions(of: roomID)
        perform(.close(reason: reason), roomID, done)
    }

    /// A person's devices get `room:closed`, the others `user:left`. It is `notFound` when the person is not there.
    package func expel(_ personID: String, from roomID: String, reason: String, _ done: @escaping Done) {
        changePermissions(of: roomID)
        perform(.expel(personID, reason: reason), roomID, done)
    }

    /// Members get `participant:added`; clients that join from now on are shown the room as `info` describes it.
    package func tellAdded(_ participant: [UInt8], to roomID: String, info: [UInt8], _ done: @escaping Done) {
        perform(.tellAdded(participant, info: info), roomID, done)
    }

    /// Members get `participant:removed`. The person is to be expelled before.
    package func tellRemoved(_ personID: String, from roomID: String, info: [UInt8], _ done: @escaping Done) {
        perform(.tellRemoved(personID, info: info), roomID, done)
    }

    /// Clients that were permitted to join and are not in the room yet are looked up again.
    private func changePermissions(of roomID: String) {
        let roomID = RoomID(roomID)
        // Also where the home takes no command: a join with an old permission must not get in meanwhile.
        mailboxes[roomID.homeShard(of: mailboxes.count)].insist(RelayMessage.home(roomID, .permissionsChanged))
    }

    /// The ids of the people who have a connection in a room; nil when nobody can say so now. A client that is on its way
    /// into a room which is being read gets all that is in it, once the room is there.
    package func connectedPeople(in roomID: String, _ answer: @escaping @Sendable ([String]?) -> Void) {
        ask(.connectedPeople, roomID) { given in
            if case .people(let people) = given { answer(people) } else { answer(nil) }
        }
    }

    /// Calls back when all that members of a room have been told is stored: at once, when the room is not in use. With an
    /// error when that cannot be said now.
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

    /// Sends a shard a question. One that finds no place there is answered at once.
    private func ask(_ shard: Int, _ done: @escaping Questions.Done, _ message: (UInt64) -> RelayMessage) {
        let number = questions.begin(to: shard, done)
        if !mailboxes[shard].post(message(number)) { questions.answer(number, .unavailable) }
    }
}

/// What people do to elements who need not be in the room: by the same way as the events of its members. A room that is
/// not in use is read for that, and goes from memory again.
extension RoomCommands {
    /// Where and for whom an element is changed.
    package struct ElementPlace: Sendable {
        let roomID: RoomID
        let info: [UInt8]
        let personID: String

        /// - Parameters:
        ///   - info: the room as clients are shown it, a JSON object.
        ///   - personID: a person who may.
        package init(roomID: String, info: [UInt8], personID: String) {
            self.roomID = RoomID(roomID)
            self.info = info
            self.personID = personID
        }
    }

    package struct ElementAnswer: Sendable {
        /// The element as clients get it. After a deletion: as it was, with the deletion's version.
        package let json: [UInt8]
        /// False when the same creation has made it before.
        package let isNew: Bool
    }

    /// Called once: when the change is stored, or with why it was not made.
    package typealias ElementDone = @Sendable (Result<ElementAnswer, RoomError>) -> Void

    /// - Parameters:
    ///   - json: an object with the members of `element:create`.
    ///   - clientID: the client's own name for the creation, where the object has none.
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

/// Which files elements show of which the store does not know yet.
extension RoomCommands {
    /// Calls back with the keys of all rooms, or with nil when a shard could not be asked. Whatever is changed afterwards
    /// has seen what was condemned before.
    package func mediaNotStored(_ done: @escaping @Sendable (Set<String>?) -> Void) {
        let gathered = Locked<(keys: Set<String>?, missing: Int)>(([], mailboxes.count))
        for shard in mailboxes.indices {
            ask(
                shard,
                { answer in
                    let result = gathered.withLock { state -> Set<String>?? in
                        if case .media(let keys) = answer { state.keys?.formUnion(keys) } else { state.keys = nil }
                        state.missing -= 1
                        return state.missing == 0 ? .some(state.keys) : nil
                    }
                    if let result { done(result) }
                }
            ) { .homes(.mediaNotStored(question: $0)) }
        }
    }
}
