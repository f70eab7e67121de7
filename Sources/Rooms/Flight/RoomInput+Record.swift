import Wire

/// Each kind has a number, which never gets another meaning.
extension RoomInput: Recordable {
    package func write(to record: inout RecordWriter) {
        switch self {
        case .join, .leave, .lose, .expireGraces, .move, .endTouch, .endLostTouch, .setCaret: writePresence(to: &record)
        case .create, .update, .edit, .delete: writeChange(to: &record)
        case .rename, .setInfo, .close, .expel, .tellAdded, .tellRemoved, .startRecording, .stopRecording, .tick:
            writeCommand(to: &record)
        }
    }

    private func writePresence(to record: inout RecordWriter) {
        switch self {
        case .join(let connection, let person, let now):
            record.put(1)
            record.put(connection)
            record.put(person)
            record.put(now)
        case .leave(let connection):
            record.put(2)
            record.put(connection)
        case .lose(let connection, let now, let mayReturn):
            record.put(3)
            record.put(connection)
            record.put(now)
            record.put(mayReturn)
        case .expireGraces(let now):
            record.put(4)
            record.put(now)
        case .move(let connection, let slot, let x, let y, let elementID):
            record.put(5)
            record.put(connection)
            record.put(slot)
            for json in [x, y, elementID] { record.put(json) }
        case .endTouch(let connection):
            record.put(6)
            record.put(connection)
        case .endLostTouch(let connection, let tellsEnd):
            record.put(7)
            record.put(connection)
            record.put(tellsEnd)
        case .setCaret(let caret, let connection):
            record.put(8)
            record.put(caret) { $1.put($0) }
            record.put(connection)
        default: break
        }
    }

    private func writeChange(to record: inout RecordWriter) {
        switch self {
        case .create(let creation, let author, let newID, let now):
            record.put(9)
            record.put(creation)
            record.put(author)
            record.put(newID)
            record.put(now)
        case .update(let id, let changes, let version, let baseVersion, let author, let now):
            record.put(10)
            record.put(id)
            record.put(changes) { change, record in record.put(change) { $1.put($0) } }
            record.put(version) { $1.put($0) }
            record.put(baseVersion) { $1.put($0) }
            record.put(author)
            record.put(now)
        case .edit(let edit, let author, let now):
            record.put(11)
            record.put(edit)
            record.put(author)
            record.put(now)
        case .delete(let id, let author):
            record.put(12)
            record.put(id)
            record.put(author)
        default: break
        }
    }

    private func writeCommand(to record: inout RecordWriter) {
        switch self {
        case .rename(let name):
            record.put(13)
            record.put(name)
        case .setInfo(let info):
            record.put(14)
            record.put(info)
        case .close(let reason):
            record.put(15)
            record.put(reason)
        case .expel(let person):
            record.put(16)
            record.put(person)
        case .tellAdded(let participant, let info):
            record.put(17)
            record.put(participant)
            record.put(info)
        case .tellRemoved(let person, let info):
            record.put(18)
            record.put(person)
            record.put(info)
        case .tick(let interval):
            record.put(19)
            record.put(interval)
        case .startRecording(let recording):
            record.put(20)
            record.put(recording)
        case .stopRecording(let id, let reason):
            record.put(21)
            record.put(id)
            record.put(reason)
        default: break
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
