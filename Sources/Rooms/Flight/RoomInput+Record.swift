import Wire

/// Each kind has a number, which never gets another meaning.
extension RoomInput: Recordable {
    private var kind: Int {
        switch self {
        case .join: 1
        case .leave: 2
        case .lose: 3
        case .expireGraces: 4
        case .move: 5
        case .endTouch: 6
        case .endLostTouch: 7
        case .setCaret: 8
        case .create: 9
        case .update: 10
        case .edit: 11
        case .delete: 12
        case .rename: 13
        case .setInfo: 14
        case .close: 15
        case .expel: 16
        case .tellAdded: 17
        case .tellRemoved: 18
        case .tick: 19
        case .startRecording: 20
        case .stopRecording: 21
        }
    }

    package func write(to record: inout RecordWriter) {
        record.put(kind)
        switch self {
        case .join(let connection, let person, let now):
            record.put(connection)
            record.put(person)
            record.put(now)
        case .leave(let connection), .endTouch(let connection): record.put(connection)
        case .lose(let connection, let now, let mayReturn):
            record.put(connection)
            record.put(now)
            record.put(mayReturn)
        case .expireGraces(let now): record.put(now)
        case .move(let connection, let slot, let x, let y, let elementID):
            record.put(connection)
            record.put(slot)
            for json in [x, y, elementID] { record.put(json) }
        case .endLostTouch(let connection, let tellsEnd):
            record.put(connection)
            record.put(tellsEnd)
        case .setCaret(let caret, let connection):
            record.put(caret) { $1.put($0) }
            record.put(connection)
        case .create(let creation, let author, let newID, let now):
            record.put(creation)
            for text in [author, newID] { record.put(text) }
            record.put(now)
        case .update(let id, let changes, let version, let baseVersion, let author, let now):
            record.put(id)
            record.put(changes) { change, record in record.put(change) { $1.put($0) } }
            for version in [version, baseVersion] { record.put(version) { $1.put($0) } }
            record.put(author)
            record.put(now)
        case .edit(let edit, let author, let now):
            record.put(edit)
            record.put(author)
            record.put(now)
        case .delete(let first, let second), .stopRecording(let first, let second):
            for text in [first, second] { record.put(text) }
        case .rename(let text), .close(let text), .expel(let text): record.put(text)
        case .setInfo(let info): record.put(info)
        case .tellAdded(let participant, let info):
            for json in [participant, info] { record.put(json) }
        case .tellRemoved(let person, let info):
            record.put(person)
            record.put(info)
        case .tick(let interval): record.put(interval)
        case .startRecording(let recording): record.put(recording)
        }
    }

    package init(from record: inout RecordReader) throws(RecordFault) {
        switch try record.int() {
        case 1: self = .join(try record.value(), try record.value(), try record.value())
        case 2: self = .leave(try record.value())
        case 3: self = .lose(try record.value(), try record.value(), mayReturn: try record.bool())
        case 4: self = .expireGraces(try record.value())
        case 5:
            self = .move(
                try record.value(), slot: try record.int(), x: try record.blob(), y: try record.blob(),
                elementID: try record.blob())
        case 6: self = .endTouch(try record.value())
        case 7: self = .endLostTouch(try record.value(), tellsEnd: try record.bool())
        case 8:
            let caret = try record.optional { record throws(RecordFault) in try Caret(from: &record) }
            self = .setCaret(caret, try record.value())
        case 9:
            self = .create(
                try record.value(), by: try record.string(), newID: try record.string(), try record.value())
        case 10: self = try Self.update(from: &record)
        case 11: self = .edit(try record.value(), by: try record.string(), try record.value())
        case 12: self = .delete(try record.string(), by: try record.string())
        case 13: self = .rename(try record.string())
        case 14: self = .setInfo(try record.blob())
        case 15: self = .close(reason: try record.string())
        case 16: self = .expel(try record.string())
        case 17: self = .tellAdded(try record.blob(), info: try record.blob())
        case 18: self = .tellRemoved(try record.string(), info: try record.blob())
        case 19: self = .tick(interval: try record.int())
        case 20: self = .startRecording(try record.value())
        case 21: self = .stopRecording(try record.string(), reason: try record.string())
        default: throw RecordFault()
        }
    }

    private static func update(from record: inout RecordReader) throws(RecordFault) -> RoomInput {
        let id = try record.string()
        let changes = try record.list { record throws(RecordFault) in
            try record.optional { record throws(RecordFault) in try record.blob() }
        }
        guard changes.count == Element.Field.allCases.count else { throw RecordFault() }
        let version = try record.optional { record throws(RecordFault) in try record.int() }
        let baseVersion = try record.optional { record throws(RecordFault) in try record.int() }
        return .update(
            id, changes, version: version, baseVersion: baseVersion, by: try record.string(), try record.value())
    }
}

extension Moment: Recordable {
    package func write(to record: inout RecordWriter) {
        record.put(Int(monotonic))
        record.put(Int(unixSeconds))
    }

    package init(from record: inout RecordReader) throws(RecordFault) {
        self.init(monotonic: Int64(try record.int()), unixSeconds: Int64(try record.int()))
    }
}

extension RoomLimits: Recordable {
    package func write(to record: inout RecordWriter) {
        for number in [
            participantsMax, connectionsPerParticipantMax, elementsMax, elementsBytesMax, logBytesMax,
            rememberedCreationsMax, Int(graceMilliseconds), idBytesMax, numberBytesMax, contentCharactersMax,
            urlBytesMax, textChangesBytesMax, textChangesPerElementMax, nameCharactersMax,
        ] { record.put(number) }
    }

    package init(from record: inout RecordReader) throws(RecordFault) {
        self.init()
        participantsMax = try record.int()
        connectionsPerParticipantMax = try record.int()
        elementsMax = try record.int()
        elementsBytesMax = try record.int()
        logBytesMax = try record.int()
        rememberedCreationsMax = try record.int()
        graceMilliseconds = Int64(try record.int())
        idBytesMax = try record.int()
        numberBytesMax = try record.int()
        contentCharactersMax = try record.int()
        urlBytesMax = try record.int()
        textChangesBytesMax = try record.int()
        textChangesPerElementMax = try record.int()
        nameCharactersMax = try record.int()
    }
}
