import Wire

/// Something that is done to a room: a call of one of its functions as a value. A room that is given the same inputs, with
/// their times and random ids, makes the same deltas.
package enum RoomInput: Sendable {
    case join(ConnectionID, Person, Moment)
    case leave(ConnectionID)
    case lose(ConnectionID, Moment, mayReturn: Bool)
    case expireGraces(Moment)
    case move(ConnectionID, slot: Int, x: [UInt8], y: [UInt8], elementID: [UInt8])
    case endTouch(ConnectionID)
    case endLostTouch(ConnectionID, tellsEnd: Bool)
    case setCaret(Caret?, ConnectionID)
    case create(Room.Creation, by: String, newID: String, Moment)
    case update(String, [[UInt8]?], version: Int?, baseVersion: Int?, by: String, Moment)
    case edit(Room.Edit, by: String, Moment)
    case delete(String, by: String)
    case rename(String)
    case setInfo([UInt8])
    case close(reason: String)
    case expel(String)
    case tellAdded([UInt8], info: [UInt8])
    case tellRemoved(String, info: [UInt8])
    case startRecording(RoomRecording)
    case stopRecording(String, reason: String)
    case tick(interval: Int)
}

extension Room {
    /// Does it. What the room refuses, it has refused before.
    ///
    /// - Returns: the delta of a tick.
    package mutating func apply(_ input: RoomInput) -> RoomDelta? {
        switch input {
        case .join(let connection, let person, let now): _ = try? join(connection, person, at: now)
        case .leave(let connection): try? leave(connection)
        case .lose(let connection, let now, let mayReturn): lose(connection, at: now, mayReturn: mayReturn)
        case .expireGraces(let now): expireGraces(at: now)
        case .move(let connection, let slot, let x, let y, let elementID):
            try? moveTouch(of: connection, slot: slot, x: x.span, y: y.span, elementID: elementID.span)
        case .endTouch(let connection): try? endTouch(of: connection)
        case .endLostTouch(let connection, let tellsEnd): endLostTouch(of: connection, tellsEnd: tellsEnd)
        case .setCaret(let caret, let connection): try? setCaret(caret, of: connection)
        case .create(let creation, let author, let newID, let now):
            _ = try? create(creation, by: Author(author), newID: newID, at: now)
        case .update(let id, let changes, let version, let baseVersion, let author, let now):
            _ = try? update(
                id, changes, version: version, baseVersion: baseVersion, by: Author(author), at: now)
        case .edit(let edit, let author, let now): _ = try? self.edit(edit, by: Author(author), at: now)
        case .delete(let id, let author): _ = try? delete(id, by: Author(author))
        case .rename(let name): try? rename(to: name)
        case .setInfo(let info): setInfo(info)
        case .close(let reason): close(reason: reason)
        case .expel(let person): _ = expel(person)
        case .tellAdded(let participant, let info): tellAdded(participant, info: info)
        case .tellRemoved(let person, let info): tellRemoved(person, info: info)
        case .startRecording(let recording): startRecording(recording)
        case .stopRecording(let id, let reason): stopRecording(id, reason: reason)
        case .tick(let interval):
            // It made a delta, also if it was asked for without a change.
            tickAnyway()
            return takeDelta(interval: interval)
        }
        return nil
    }
}
