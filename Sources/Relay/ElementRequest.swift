import Rooms

/// What somebody wants of a room's elements, read and checked.
enum ElementRequest: Sendable {
    case create(Room.Creation)
    /// Changes the values that are not nil; with a version only if that is still the element's.
    case update(String, [[UInt8]?], version: Int?)
    case delete(String)
}

/// What a request has made of an element.
struct ElementOutcome: Sendable {
    /// After a deletion: as it was, with the deletion's version.
    let element: Element
    let roomJSON: [UInt8]
    /// False for the resend of a creation that was done before.
    var isNew = true
    var isDeletion = false

    var json: [UInt8] {
        var json: [UInt8] = []
        element.append(roomJSON: roomJSON, to: &json)
        return json
    }

    /// The members of an event's ack, each with a comma in front.
    var ackMembers: [UInt8] {
        isDeletion ? Array(",\"version\":\(element.version)".utf8) : Array(",\"element\":".utf8) + json
    }
}

/// Who asks for a change of a room's elements, and how they are answered: through a member's connection, or without one.
///
/// The answer is given on the room's home shard, when the change is stored or was refused. Whoever is not answered, since
/// the server has stopped meanwhile, has let go of the function.
struct ElementAsker: Sendable {
    enum Side: Sendable {
        case member(ConnectionID)
        /// Others have seen that this person may.
        case person(String)
    }

    let side: Side
    /// Whether an answer is wanted when it was done; when it was refused one always is.
    var wantsOutcome = true
    let answer: @Sendable (Relay, Result<ElementOutcome, RoomError>) -> Void
}
