import Rooms
import Store

/// Commands of the server and of operators, for rooms in use.
extension Home {
    /// - Parameter home: nil when the room is not in use.
    func perform(_ command: RoomCommand, _ home: HomeRoom?, _ id: RoomID, _ question: UInt64) {
        switch command {
        case .connectedPeople: answer(question, .people(home?.room.connectedPeople ?? []))
        case .whenStored:
            guard let home = home ?? settling[id] else { return answer(question, .stored(nil)) }
            // The number of waiting commands is bounded.
            guard !home.isFull else { return refuse(command, RoomJournal.takesNothing, question) }
            whenStored(home, answer: .question(question))
        case .startRecording(let recording, let person):
            guard let home else { return refuse(command, Self.isEmpty, question) }
            startRecording(recording, by: person, home, question)
        case .stopRecording(let recording):
            guard let home else { return answer(question, .outcome(.notInUse)) }
            stopRecording(recording, home, question)
        default:
            guard let home else { return answer(question, .outcome(.notInUse)) }
            do throws(RoomError) {
                try perform(command, home)
                answer(question, .outcome(.done))
            } catch {
                refuse(command, error, question)
            }
        }
    }

    func refuse(_ command: RoomCommand, _ error: RoomError, _ question: UInt64) {
        switch command {
        case .connectedPeople: answer(question, .unavailable)
        case .whenStored: answer(question, .stored(error))
        default: answer(question, .outcome(.refused(error)))
        }
    }

    private func perform(_ command: RoomCommand, _ home: HomeRoom) throws(RoomError) {
        switch command {
        case .rename(let name):
            try checkTakesChanges(home)
            try home.room.rename(to: name)
            changed(home)
        case .setInfo(let info): home.room.setInfo(info)
        case .close(let reason): close(home, reason: reason)
        case .expel(let person, let reason): try expel(person, home, reason: reason)
        case .tellAdded(let participant, let info):
            home.room.tellAdded(participant, info: info)
            changed(home)
        case .tellRemoved(let person, let info):
            home.room.tellRemoved(person, info: info)
            changed(home)
        case .connectedPeople, .whenStored, .startRecording, .stopRecording: break
        }
    }

    private func expel(_ person: String, _ home: HomeRoom, reason: String) throws(RoomError) {
        let count = home.room.participantCount
        let connections = home.room.expel(person)
        guard home.room.participantCount < count else {
            throw RoomError(.notFound, "The user is not in the room.")
        }
        armGrace(home)
        // This comes first: the room may end with the removal.
        changed(home)
        for connection in connections { evict(connection, home, reason: reason, RoomError(.forbidden, reason)) }
    }
}
