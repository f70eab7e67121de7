/// A command of the server or an operator to a room in use.
package enum RoomCommand: Sendable {
    /// Members get `room:renamed`.
    case rename(String)
    /// Sets the room's description, a JSON object, for later joins.
    case setInfo([UInt8])
    /// Members get `room:closed`.
    case close(reason: String)
    /// A user's connections get `room:closed`.
    case expel(String, reason: String)
    /// Members get `participant:added`.
    case tellAdded([UInt8], info: [UInt8])
    /// Members get `participant:removed`.
    case tellRemoved(String, info: [UInt8])
    /// Begins a recording with this id for a user.
    case startRecording(String, by: String)
    case stopRecording(String)
    /// Asks for the ids of the users who have a connection in the room.
    case connectedPeople
    /// Answers when everything that members have got is stored.
    case whenStored

    /// Whether the command waits while the room is read. The other commands need not: a client that enters then gets
    /// the whole state, and the stored contents are up to date.
    var waitsForRoom: Bool {
        switch self {
        case .connectedPeople, .whenStored: false
        case .rename, .setInfo, .close, .expel, .tellAdded, .tellRemoved, .startRecording, .stopRecording: true
        }
    }
}
