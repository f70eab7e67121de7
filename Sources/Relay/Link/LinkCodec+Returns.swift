import Rooms
import Sessions
import Wire

/// Messages between nodes about clients that come back to another node than the one that their `pid` names.
extension LinkCodec {
    static func write(_ message: ReturnsMessage, to record: inout RecordWriter) -> Bool {
        switch message {
        case .claim(let claim):
            record.put(1)
            record.put(claim)
        case .claimAgain(let claim):
            record.put(2)
            record.put(claim)
        case .settled(let pid):
            record.put(3)
            record.put(pid)
        case .connected(let pid, let connection):
            record.put(4)
            record.put(pid)
            record.put(connection) { $1.put($0) }
        case .ended(let pid, let connection, let lost):
            record.put(5)
            record.put(pid)
            record.put(connection)
            record.put(lost) { $1.put($0) }
        case .givenBack(let lost):
            record.put(6)
            record.put(lost)
        case .notStood(let removal):
            record.put(7)
            record.put(removal)
        case .remembered: return false
        }
        return true
    }

    static func returnsMessage(from record: inout RecordReader) throws(RecordFault) -> ReturnsMessage {
        switch try record.int() {
        case 1: .claim(try record.value())
        case 2: .claimAgain(try record.value())
        case 3: .settled(try record.value())
        case 4:
            .connected(
                try record.value(),
                try record.optional { record throws(RecordFault) in try ConnectionID(from: &record) })
        case 5:
            .ended(
                try record.value(), try record.value(),
                try record.optional { record throws(RecordFault) in try LostClient(from: &record) })
        case 6: .givenBack(try record.value())
        case 7: .notStood(try record.value())
        default: throw RecordFault()
        }
    }

    static func write(_ message: EdgeMessage, to record: inout RecordWriter) -> Bool {
        switch message {
        case .takeOver(let connection, let claim):
            record.put(1)
            record.put(connection)
            record.put(claim)
        case .claimAnswered(let number, let lost):
            record.put(2)
            record.put(number)
            record.put(lost) { $1.put($0) }
        case .standAgain(let connection, let removal):
            record.put(3)
            record.put(connection)
            record.put(removal)
        case .welcomeMore, .delta, .giveUp, .resync, .lookedUp, .order, .personal, .storeIsGood, .verified:
            return false
        }
        return true
    }

    static func edgeMessage(from record: inout RecordReader) throws(RecordFault) -> EdgeMessage {
        switch try record.int() {
        case 1: .takeOver(try record.value(), try record.value())
        case 2:
            .claimAnswered(
                try record.number(), try record.optional { record throws(RecordFault) in try LostClient(from: &record) }
            )
        case 3: .standAgain(try record.value(), try record.value())
        default: throw RecordFault()
        }
    }
}

extension SessionID: Recordable {
    package func write(to record: inout RecordWriter) { record.put(description) }

    package init(from record: inout RecordReader) throws(RecordFault) {
        guard let id = SessionID(try record.string()) else { throw RecordFault() }
        self = id
    }
}

extension SeatRemoval: Recordable {
    package func write(to record: inout RecordWriter) {
        record.put(pid)
        record.put(room) { $1.put($0.text) }
    }

    package init(from record: inout RecordReader) throws(RecordFault) {
        self.init(
            pid: try record.value(),
            room: try record.optional { record throws(RecordFault) in RoomID(try record.string()) })
    }
}

/// The time at which a session was opened. Nodes have no clock in common, so its age travels.
private struct Opening: Recordable {
    let moment: ContinuousClock.Instant

    init(_ moment: ContinuousClock.Instant) {
        self.moment = moment
    }

    func write(to record: inout RecordWriter) {
        let (seconds, attoseconds) = moment.duration(to: .now).components
        record.put(Int(clamping: max(seconds, 0)) &* 1_000 &+ Int(attoseconds / 1_000_000_000_000_000))
    }

    init(from record: inout RecordReader) throws(RecordFault) {
        // Longer than any machine runs.
        moment = ContinuousClock.now - .milliseconds(try record.int(upTo: 1 << 48))
    }
}

extension RecoveryClaim: Recordable {
    package func write(to record: inout RecordWriter) {
        record.put(pid)
        record.put(person)
        record.put(Opening(opened))
        record.put(offset) { $1.put($0) }
        record.put(node)
        record.put(shard)
        record.put(number)
    }

    package init(from record: inout RecordReader) throws(RecordFault) {
        let (pid, person): (SessionID, String) = (try record.value(), try record.string())
        let opening: Opening = try record.value()
        self.init(
            pid: pid, person: person, opened: opening.moment,
            offset: try record.optional { record throws(RecordFault) in try LogOffset(from: &record) },
            node: try record.int(upTo: NodeNumber.all.upperBound - 1), shard: try record.int(upTo: 1 << 10),
            number: try record.number())
    }
}

extension LostClient.Ending: Recordable {
    func write(to record: inout RecordWriter) {
        record.put(id.text)
        record.put(argument)
        record.put(membership)
        record.put(seq)
    }

    init(from record: inout RecordReader) throws(RecordFault) {
        self.init(
            id: RoomID(try record.string()), argument: try record.blob(), membership: try record.number(),
            seq: try record.number())
    }
}

/// Without the end of its time, which the node counts that keeps it.
extension LostClient: Recordable {
    package func write(to record: inout RecordWriter) {
        record.put(sid) { $1.put($0) }
        record.put(pid)
        record.put(person)
        record.put(Opening(opened))
        record.put(rooms)
        record.put(endings)
        record.put(trail)
    }

    package init(from record: inout RecordReader) throws(RecordFault) {
        let sid = try record.optional { record throws(RecordFault) in try SessionID(from: &record) }
        let (pid, person): (SessionID, String) = (try record.value(), try record.string())
        let opening: Opening = try record.value()
        self.init(
            sid: sid, pid: pid, person: person, opened: opening.moment, rooms: try record.values(),
            endings: try record.values(), trail: try record.value())
    }
}
