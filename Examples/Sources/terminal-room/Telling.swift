import RoomsClient

/// Events in words.
enum Telling {
    static func line(_ event: RoomsEvent) -> String {
        switch event {
        case .connected(let isRecovered): isRecovered ? "back where we were" : "connected"
        case .disconnected(let reason, let wait): "connection lost (\(reason)), again in \(wait) ms"
        case .closed(let error): "over: \(error)"
        case .joined(let room): "in \(room.id) with \(room.participants.count) people, \(room.elements.count) elements"
        case .participantJoined(_, let participant): "\(participant.name) came"
        case .participantLeft(_, let user): "\(user) left"
        case .touchMoved(_, let user, let touch): "\(user) is at \(touch.x), \(touch.y)"
        case .touchEnded(_, let user): "\(user) lifted the hand"
        case .touchLeft(_, let user, _): "\(user) is out of sight"
        case .elementCreated(let element): "\(element.createdBy) put a \(element.kind): \(element.content ?? "")"
        case .elementUpdated(let element): "\(element.updatedBy ?? "somebody") changed a \(element.kind)"
        case .elementDeleted: "something was taken away"
        case .textEdited(let change): "\(change.userID) wrote"
        case .caretMoved(_, let user, let caret): caret == nil ? "\(user) writes no more" : "\(user) is writing"
        case .roomRenamed(_, let name): "the room is called \(name) now"
        case .recordingStarted: "the room is being recorded"
        case .recordingStopped: "the room is not recorded any more"
        case .roomClosed(_, let reason): "the room is closed: \(reason)"
        case .draining(let time): "the server stops; we change in \(time) ms"
        case .tokenExpiring(let time): "the token ends in \(time) s"
        case .refused(let event, let refusal): "\(event) was refused: \(refusal.message)"
        case .lagged(let missed, _): "too slow: \(missed) events were left out"
        case .other(let name, _): name
        }
    }
}
