import Rooms
import Sessions
import Wire

// The parts of messages between nodes. Each kind of a value has a number, which never gets another meaning.

extension SocketCall: Recordable {
    package func write(to record: inout RecordWriter) {
        record.put(ackID) { $1.put($0) }
        record.put(attachments) { $1.put($0) }
    }

    package init(from record: inout RecordReader) throws(RecordFault) {
        self.init(
            ackID: try record.optional { record throws(RecordFault) in try record.number() },
            attachments: try record.list { record throws(RecordFault) in try record.blob() })
    }
}

extension ReturningRoom: Recordable {
    package func write(to record: inout RecordWriter) {
        record.put(id.text)
        record.put(incarnation)
        record.put(membership)
        record.put(since) { $1.put($0) }
    }

    package init(from record: inout RecordReader) throws(RecordFault) {
        self.init(
            id: RoomID(try record.string()), incarnation: try record.number(), membership: try record.number(),
            since: try record.optional { record throws(RecordFault) in try record.number() })
    }
}

extension Entry.Purpose: Recordable {
    package func write(to record: inout RecordWriter) {
        switch self {
        case .join(let call):
            record.put(1)
            record.put(call)
        case .goOn(let room, let since):
            record.put(2)
            record.put(room)
            record.put(since) { $1.put($0) }
        }
    }

    package init(from record: inout RecordReader) throws(RecordFault) {
        switch try record.int() {
        case 1: self = .join(try record.value())
        case 2:
            self = .goOn(
                try record.value(), since: try record.optional { record throws(RecordFault) in try record.number() })
        default: throw RecordFault()
        }
    }
}

/// Without the budget, which stays on the client's node.
extension Entry: Recordable {
    package func write(to record: inout RecordWriter) {
        record.put(connection)
        record.put(person)
        record.put(room.text)
        record.put(purpose)
        record.put(mark)
        record.put(info)
        record.put(touchFollows)
    }

    package init(from record: inout RecordReader) throws(RecordFault) {
        self.init(
            connection: try record.value(), person: try record.value(), room: RoomID(try record.string()),
            purpose: try record.value(), budget: nil, mark: try record.number(), info: try record.blob(),
            touchFollows: try record.bool())
    }
}

extension NodeEntries: Recordable {
    package func write(to record: inout RecordWriter) {
        record.put(snapshot)
        record.put(seq)
        record.put(idJSON)
        record.put(incarnation)
        record.put(state) { $1.put($0) }
        record.put(items)
    }

    package init(from record: inout RecordReader) throws(RecordFault) {
        self.init(
            snapshot: try record.value(), seq: try record.number(), idJSON: try record.blob(),
            incarnation: try record.number(),
            state: try record.optional { record throws(RecordFault) in try RoomState(from: &record) },
            items: try record.values())
    }
}

extension NodeEntries.Item: Recordable {
    func write(to record: inout RecordWriter) {
        record.put(connection)
        record.put(purpose)
        record.put(slot)
        switch told {
        case .state(let listed):
            record.put(1)
            record.put(listed)
        case .missed(let entries):
            record.put(2)
            record.put(entries)
        }
    }

    init(from record: inout RecordReader) throws(RecordFault) {
        (connection, purpose, slot) = (try record.value(), try record.value(), try record.int(upTo: 1 << 20))
        switch try record.int() {
        case 1: told = .state(listed: try record.blob())
        case 2: told = .missed(try record.values())
        default: throw RecordFault()
        }
    }
}

extension ElementRequest: Recordable {
    package func write(to record: inout RecordWriter) {
        switch self {
        case .create(let creation):
            record.put(1)
            record.put(creation)
        case .update(let id, let changes, let version, let baseVersion):
            record.put(2)
            record.put(id)
            record.put(changes) { change, record in record.put(change) { $1.put($0) } }
            record.put(version) { $1.put($0) }
            record.put(baseVersion) { $1.put($0) }
        case .delete(let id, nil):
            record.put(3)
            record.put(id)
        case .edit(let edit):
            record.put(4)
            record.put(edit)
        case .delete(let id, let version?):
            record.put(5)
            record.put(id)
            record.put(version)
        }
    }

    package init(from record: inout RecordReader) throws(RecordFault) {
        switch try record.int() {
        case 1: self = .create(try record.value())
        case 2:
            let id = try record.string()
            let changes = try record.list { record throws(RecordFault) in
                try record.optional { record throws(RecordFault) in try record.blob() }
            }
            guard changes.count == Element.Field.allCases.count else { throw RecordFault() }
            let version = try record.optional { record throws(RecordFault) in try record.int() }
            self = .update(
                id, changes, version: version,
                baseVersion: try record.optional { record throws(RecordFault) in try record.int() })
        case 3: self = .delete(try record.string())
        case 4: self = .edit(try record.value())
        case 5: self = .delete(try record.string(), version: try record.int())
        default: throw RecordFault()
        }
    }
}

extension ElementOrder: Recordable {
    package func write(to record: inout RecordWriter) {
        switch self {
        case .create(let json, let clientID):
            record.put(1)
            record.put(json)
            record.put(clientID) { $1.put($0) }
        case .update(let id, let json):
            record.put(2)
            record.put(id)
            record.put(json)
        case .delete(let id):
            record.put(3)
            record.put(id)
        }
    }

    package init(from record: inout RecordReader) throws(RecordFault) {
        switch try record.int() {
        case 1:
            self = .create(
                json: try record.blob(),
                clientID: try record.optional { record throws(RecordFault) in try record.string() })
        case 2: self = .update(try record.string(), json: try record.blob())
        case 3: self = .delete(try record.string())
        default: throw RecordFault()
        }
    }
}

extension ElementOutcome: Recordable {
    package func write(to record: inout RecordWriter) {
        record.put(element)
        record.put(roomJSON)
        record.put(isNew)
        record.put(isDeletion)
        record.put(isKnownText)
    }

    package init(from record: inout RecordReader) throws(RecordFault) {
        self.init(
            element: try record.value(), roomJSON: try record.blob(), isNew: try record.bool(),
            isDeletion: try record.bool(), isKnownText: try record.bool())
    }
}

extension ElementAsker: Recordable {
    package func write(to record: inout RecordWriter) {
        switch self {
        case .member(let connection, let event, let call):
            record.put(1)
            record.put(connection)
            record.put(event.rawValue)
            record.put(call)
        case .person(let id, let question):
            record.put(2)
            record.put(id)
            record.put(question)
        }
    }

    package init(from record: inout RecordReader) throws(RecordFault) {
        switch try record.int() {
        case 1:
            let connection: ConnectionID = try record.value()
            guard let event = ClientEvent(rawValue: try record.string()) else { throw RecordFault() }
            self = .member(connection, event, try record.value())
        case 2: self = .person(try record.string(), question: try record.number())
        default: throw RecordFault()
        }
    }
}

extension RoomCommand: Recordable {
    package func write(to record: inout RecordWriter) {
        switch self {
        case .rename(let name):
            record.put(1)
            record.put(name)
        case .setInfo(let info):
            record.put(2)
            record.put(info)
        case .close(let reason):
            record.put(3)
            record.put(reason)
        case .expel(let person, let reason):
            record.put(4)
            record.put(person)
            record.put(reason)
        case .tellAdded(let participant, let info):
            record.put(5)
            record.put(participant)
            record.put(info)
        case .tellRemoved(let person, let info):
            record.put(6)
            record.put(person)
            record.put(info)
        case .connectedPeople: record.put(7)
        case .whenStored: record.put(8)
        case .startRecording(let id, let person):
            record.put(9)
            record.put(id)
            record.put(person)
        case .stopRecording(let id):
            record.put(10)
            record.put(id)
        }
    }

    package init(from record: inout RecordReader) throws(RecordFault) {
        switch try record.int() {
        case 1: self = .rename(try record.string())
        case 2: self = .setInfo(try record.blob())
        case 3: self = .close(reason: try record.string())
        case 4: self = .expel(try record.string(), reason: try record.string())
        case 5: self = .tellAdded(try record.blob(), info: try record.blob())
        case 6: self = .tellRemoved(try record.string(), info: try record.blob())
        case 7: self = .connectedPeople
        case 8: self = .whenStored
        case 9: self = .startRecording(try record.string(), by: try record.string())
        case 10: self = .stopRecording(try record.string())
        default: throw RecordFault()
        }
    }
}

extension Questions.Answer: Recordable {
    package func write(to record: inout RecordWriter) {
        switch self {
        case .outcome(.done): record.put(1)
        case .outcome(.notInUse): record.put(2)
        case .outcome(.refused(let error)):
            record.put(3)
            record.put(error)
        case .outcome(.unavailable), .unavailable: record.put(4)
        case .people(let people):
            record.put(5)
            record.put(people) { $1.put($0) }
        case .stored(let error):
            record.put(6)
            record.put(error) { $1.put($0) }
        case .element(.success(let outcome)):
            record.put(7)
            record.put(outcome)
        case .element(.failure(let error)):
            record.put(8)
            record.put(error)
        case .media(let keys):
            record.put(9)
            record.put(keys.sorted()) { $1.put($0) }
        case .count(let count):
            record.put(10)
            record.put(count)
        case .told(let bytes):
            record.put(11)
            record.put(bytes)
        }
    }

    package init(from record: inout RecordReader) throws(RecordFault) {
        switch try record.int() {
        case 1: self = .outcome(.done)
        case 2: self = .outcome(.notInUse)
        case 3: self = .outcome(.refused(try record.value()))
        case 4: self = .unavailable
        case 5: self = .people(try record.list { record throws(RecordFault) in try record.string() })
        case 6: self = .stored(try record.optional { record throws(RecordFault) in try RoomError(from: &record) })
        case 7: self = .element(.success(try record.value()))
        case 8: self = .element(.failure(try record.value()))
        case 9: self = .media(Set(try record.list { record throws(RecordFault) in try record.string() }))
        case 10: self = .count(try record.int(upTo: 1 << 32))
        case 11: self = .told(try record.blob())
        default: throw RecordFault()
        }
    }
}

extension TouchParcel: Recordable {
    package func write(to record: inout RecordWriter) {
        record.put(roomID.text)
        record.put(count)
        each { connection, slot, x, y, elementID in
            record.put(connection)
            record.put(slot)
            x.withUnsafeBufferPointer { record.put($0) }
            y.withUnsafeBufferPointer { record.put($0) }
            elementID.withUnsafeBufferPointer { record.put($0) }
        }
    }

    package init(from record: inout RecordReader) throws(RecordFault) {
        self.init(RoomID(try record.string()))
        let count = try record.int()
        for _ in 0..<max(count, 0) {
            let (connection, slot): (ConnectionID, Int) = (try record.value(), try record.int())
            try append(of: connection, slot: slot, from: &record)
        }
    }
}
