import Wire

/// Who changes a room's elements: somebody who is in it, or may be and is not.
package struct Author: Sendable {
    let id: String
    /// The id as a JSON string.
    let idJSON: [UInt8]

    /// Somebody of whom others have seen that they may.
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
    /// The person behind a connection, who has to be in the room.
    package func author(_ connection: ConnectionID) throws(RoomError) -> Author {
        guard let participant = slots[try slot(of: connection)] else {
            throw RoomError(.forbidden, "You have not joined this room.")
        }
        return Author(participant)
    }
}
