import Rooms
import Sessions

/// What somebody wants of a room's elements, read and checked.
package enum ElementRequest: Sendable {
    case create(Room.Creation)
    /// Changes the values that are not nil; with a version only if that is still the element's.
    case update(String, [[UInt8]?], version: Int?)
    case delete(String)
}

/// The same as the REST interface has it, not read yet.
package enum ElementOrder: Sendable {
    /// `clientID` is the client's own name for the creation, where the object has none.
    case create(json: [UInt8], clientID: String?)
    case update(String, json: [UInt8])
    case delete(String)
}

/// What a request has made of an element.
package struct ElementOutcome: Sendable {
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

/// Who asks for a change of a room's elements, and where the answer goes. It is given when the change is stored or was
/// refused.
package enum ElementAsker: Sendable {
    case member(ConnectionID, ClientEvent, SocketCall)
    /// A person who may change the room and need not be in it.
    case person(String, question: UInt64)
}
