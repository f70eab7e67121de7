import Rooms
import Sessions
import Wire

/// A change of a room's elements, read and checked.
package enum ElementRequest: Sendable {
    case create(Room.Creation)
    /// Changes the values that are not nil; with a version, only if the element still has it. With a base version the
    /// content is merged.
    case update(String, [[UInt8]?], version: Int?, baseVersion: Int? = nil)
    /// With a version, only if the element still has it.
    case delete(String, version: Int? = nil)
    case edit(Room.Edit)

    var byteCount: Int {
        switch self {
        case .create(let creation):
            creation.values.reduce(creation.clientID?.utf8.count ?? 0) { $0 + $1.count }
        case .update(let id, let changes, _, _): changes.reduce(id.utf8.count) { $0 + ($1?.count ?? 0) }
        case .delete(let id, _): id.utf8.count
        case .edit(let edit):
            edit.elementID.utf8.count + edit.changes.byteCount + (edit.clientID?.utf8.count ?? 0)
        }
    }
}

/// The same as REST has it, not read yet.
package enum ElementOrder: Sendable {
    /// `clientID` is the client's own id for the creation, if the object has none.
    case create(json: [UInt8], clientID: String?)
    case update(String, json: [UInt8])
    case delete(String)
}

/// The result of a change.
package struct ElementOutcome: Sendable {
    /// After a deletion: the element's last content, with the version of the deletion.
    let element: Element
    let roomJSON: [UInt8]
    /// False for the resend of an earlier creation.
    var isNew = true
    var isDeletion = false
    /// Whether the asker knows the element's text: the change was an edit that was not merged with others.
    var isKnownText = false

    var json: [UInt8] {
        var json: [UInt8] = []
        element.append(roomJSON: roomJSON, to: &json)
        return json
    }

    /// The members of an event's ack, each with a comma in front.
    var ackMembers: [UInt8] {
        isDeletion || isKnownText
            ? Array(",\"version\":\(element.version)".utf8) : Array(",\"element\":".utf8) + json
    }
}

/// The sender of a change of elements, and the way of the answer. The answer is given when the change is stored or was
/// refused.
package enum ElementAsker: Sendable {
    case member(ConnectionID, ClientEvent, SocketCall)
    /// A user who may change the room, and need not be in it.
    case person(String, question: UInt64)

    var node: Int {
        switch self {
        case .member(let connection, _, _): connection.node
        case .person(_, let question): Questions.node(of: question)
        }
    }
}
