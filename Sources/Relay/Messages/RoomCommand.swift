/// What the server or an operator does to a room that is in use.
package enum RoomCommand: Sendable {
    /// Members get `room:renamed`.
    case rename(String)
    /// Describes the room, as a JSON object, to clients that join from now on.
    case setInfo([UInt8])
    /// Members get `room:closed`.
    case close(reason: String)
    /// A person's devices get `room:closed`.
    case expel(String, reason: String)
    /// Members get `participant:added`.
    case tellAdded([UInt8], info: [UInt8])
    /// Members get `participant:removed`.
    case tellRemoved(String, info: [UInt8])
    /// The ids of the people who have a connection in the room.
    case connectedPeople
    /// Answers when all that members have been told is stored.
    case whenStored

    /// Whether the command waits while the room is being read. A client that comes in then is told all that is in the room,
    /// and what the room was left with is stored.
    var waitsForRoom: Bool {
        switch self {
        case .connectedPeople, .whenStored: false
        case .rename, .setInfo, .close, .expel, .tellAdded, .tellRemoved: true
        }
    }
}
