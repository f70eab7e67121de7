import Wire

/// The author of a change of elements: a participant, or a user who may join the room and is not in it.
package struct Author: Sendable {
    let id: String
    /// The id as a JSON string.
    let idJSON: [UInt8]

    /// A user whose permission the caller has checked.
    package init(_ personID: String) {
        id = personID
        var json: [UInt8] = []
        json.appendJSONString(personID.utf8.span)
        idJSON = json
    }

    init(_ participant: Participant) {
        id = participant.person.id
        idJSON = participant.idJSON
    }
}

extension Room {
    /// The user of a connection. The connection must be in the room.
    package func author(_ connection: ConnectionID) throws(RoomError) -> Author {
        guard let participant = slots[try slot(of: connection)] else {
            throw RoomError(.forbidden, "You have not joined this room.")
        }
        return Author(participant)
    }
}
