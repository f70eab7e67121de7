import Rooms
import Sessions
import Wire

/// Messages between nodes as records.
///
/// Only a part of all messages leaves its node: what outposts and homes send each other, and the answers to questions.
/// What belongs to one process, such as a budget or a gate, stays there.
package enum LinkCodec {
    /// From 64 on numbers are those of other parts (`FarPollMessage`).
    private enum Kind: UInt64 {
        case home = 1
        case touches = 2
        case outpost = 3
        case answer = 4
        case returns = 5
        case far = 6
        case disconnect = 7
        case personal = 8
        case order = 9
        case consult = 10
        case condemned = 11
    }

    /// Nil for a message that belongs to one node.
    package static func encode(_ message: RelayMessage) -> [UInt8]? {
        var record = RecordWriter()
        switch message {
        case .home(let room, let message):
            record.put(Kind.home.rawValue)
            record.put(room.text)
            guard write(message, to: &record) else { return nil }
        case .touches(let parcels):
            record.put(Kind.touches.rawValue)
            record.put(parcels)
        case .outpost(let room, let message, _):
            record.put(Kind.outpost.rawValue)
            record.put(room.text)
            guard write(message, to: &record) else { return nil }
        case .answer(let question, let answer):
            record.put(Kind.answer.rawValue)
            record.put(question)
            record.put(answer)
        case .returns(let message):
            record.put(Kind.returns.rawValue)
            guard write(message, to: &record) else { return nil }
        case .far(let shard, let message):
            record.put(Kind.far.rawValue)
            record.put(shard)
            guard write(message, to: &record) else { return nil }
        case .order(.disconnect(let whose), let question):
            record.put(Kind.disconnect.rawValue)
            record.put(whose.person)
            // No session has an empty id.
            record.put(whose.session ?? "")
            record.put(question)
        case .order(let order, let question):
            record.put(Kind.order.rawValue)
            record.put(order)
            record.put(question)
        case .consult(let bytes, let question):
            record.put(Kind.consult.rawValue)
            record.put(bytes)
            record.put(question)
        case .condemned(let keys, let question):
            record.put(Kind.condemned.rawValue)
            record.put(keys) { $1.put($0) }
            record.put(question)
        case .personal(let event):
            record.put(Kind.personal.rawValue)
            record.put(event.name)
            record.put(event.person)
            record.put(event.argument)
        case .homes, .client, .edge, .peer, .own: return nil
        }
        return record.bytes
    }

    /// - Parameter node: the node that has sent the record.
    package static func decode(_ bytes: [UInt8], from node: Int) throws(RecordFault) -> RelayMessage {
        var record = RecordReader(bytes)
        guard let kind = Kind(rawValue: try record.number()) else { throw RecordFault() }
        let message: RelayMessage
        switch kind {
        case .home: message = .home(RoomID(try record.string()), try homeMessage(from: &record))
        case .touches: message = .touches(try record.values())
        case .outpost:
            message = .outpost(RoomID(try record.string()), try outpostMessage(from: &record), from: node)
        case .answer: message = .answer(try record.number(), try record.value())
        case .returns: message = .returns(try returnsMessage(from: &record))
        case .disconnect:
            let (person, session) = (try record.string(), try record.string())
            message = .order(
                .disconnect(ConnectionsOf(person, session: session.isEmpty ? nil : session)),
                question: try record.number())
        case .order: message = .order(try record.value(), question: try record.number())
        case .consult: message = .consult(try record.blob(), question: try record.number())
        case .condemned:
            let keys = try record.list { record throws(RecordFault) in try record.string() }
            message = .condemned(keys, question: try record.number())
        case .personal:
            message = .personal(PersonalEvent(try record.string(), to: try record.string(), try record.blob()))
        case .far: message = .far(shard: try record.int(upTo: 1 << 10), try edgeMessage(from: &record))
        }
        guard record.isAtEnd else { throw RecordFault() }
        return message
    }

    // MARK: To homes

    private static func write(_ message: HomeMessage, to record: inout RecordWriter) -> Bool {
        switch message {
        case .enter(let entry):
            record.put(1)
            record.put(entry)
        case .leave(let connection, let leaving):
            record.put(2)
            record.put(connection)
            record.put(leaving.rawValue)
        case .endTouch(let connection, let number):
            record.put(3)
            record.put(connection)
            record.put(number)
        case .change(let request, let asker):
            record.put(4)
            record.put(request)
            record.put(asker)
        case .changeFromOutside(let order, let info, let asker):
            record.put(5)
            record.put(order)
            record.put(info)
            record.put(asker)
        case .command(let command, let question):
            record.put(6)
            record.put(command)
            record.put(question)
        case .permissionsChanged: record.put(7)
        case .foundNext: record.put(8)
        case .caret(let connection, let caret):
            record.put(9)
            record.put(connection)
            record.put(caret) { $1.put($0) }
        case .sight(let node, let squares):
            record.put(10)
            record.put(node)
            record.put(squares) { $1.put($0) }
        case .view, .notPermitted, .gaveUp, .loaded, .isHome, .appended, .lossCounted, .released, .recording:
            return false
        }
        return true
    }

    private static func leaving(from record: inout RecordReader) throws(RecordFault) -> Leaving {
        guard let leaving = Leaving(rawValue: try record.int()) else { throw RecordFault() }
        return leaving
    }

    private static func homeMessage(from record: inout RecordReader) throws(RecordFault) -> HomeMessage {
        switch try record.int() {
        case 1: .enter(try record.value())
        case 2: .leave(try record.value(), try leaving(from: &record))
        case 3: .endTouch(try record.value(), number: try record.number())
        case 4: .change(try record.value(), try record.value())
        case 5: .changeFromOutside(try record.value(), info: try record.blob(), try record.value())
        case 6: .command(try record.value(), question: try record.number())
        case 7: .permissionsChanged
        case 8: .foundNext
        case 9:
            .caret(
                try record.value(),
                try record.optional { record throws(RecordFault) in try Caret(from: &record) })
        case 10:
            .sight(
                node: try record.int(upTo: 63),
                try record.optional { record throws(RecordFault) in try SquareSet(from: &record) })
        default: throw RecordFault()
        }
    }

    // MARK: To outposts

    private static func write(_ message: OutpostMessage, to record: inout RecordWriter) -> Bool {
        switch message {
        case .delta(let delta):
            record.put(1)
            record.put(delta)
        case .entered(let entries):
            record.put(2)
            record.put(entries)
        case .client(let connection, let message):
            record.put(3)
            record.put(connection)
            return write(message, to: &record)
        case .isFull(let isFull):
            record.put(4)
            record.put(isFull)
        case .notHome: record.put(5)
        case .changed(let connection):
            record.put(6)
            record.put(connection)
        case .givenAway: record.put(7)
        case .endStored(let connection, let number):
            record.put(8)
            record.put(connection)
            record.put(number)
        }
        return true
    }

    private static func outpostMessage(from record: inout RecordReader) throws(RecordFault) -> OutpostMessage {
        switch try record.int() {
        case 1: .delta(try record.value())
        case 2: .entered(try record.value())
        case 3: .client(try record.value(), try clientMessage(from: &record))
        case 4: .isFull(try record.bool())
        case 5: .notHome
        case 6: .changed(try record.value())
        case 7: .givenAway
        case 8: .endStored(try record.value(), number: try record.number())
        default: throw RecordFault()
        }
    }

    private static func write(_ message: ClientMessage, to record: inout RecordWriter) -> Bool {
        switch message {
        case .notEntered(let purpose, let room, let error):
            record.put(1)
            record.put(purpose)
            record.put(room.text)
            record.put(error)
        case .enterLater(let room, let milliseconds):
            record.put(2)
            record.put(room)
            record.put(milliseconds)
        case .lookUpAgain(let entry):
            record.put(3)
            record.put(entry)
        case .changed(let call, let outcome):
            record.put(4)
            record.put(call)
            record.put(outcome)
        case .refused(let event, let call, let error):
            record.put(5)
            record.put(event.rawValue)
            record.put(call)
            record.put(error)
        case .evicted(let room, let reason, let error):
            record.put(6)
            record.put(room.text)
            record.put(reason)
            record.put(error)
        // The first goes as `entered` of the outpost; a client leaves on its own node.
        case .entered, .left: return false
        }
        return true
    }

    private static func clientMessage(from record: inout RecordReader) throws(RecordFault) -> ClientMessage {
        switch try record.int() {
        case 1: return .notEntered(try record.value(), RoomID(try record.string()), try record.value())
        case 2: return .enterLater(try record.value(), milliseconds: try record.int())
        case 3: return .lookUpAgain(try record.value())
        case 4: return .changed(try record.value(), try record.value())
        case 5:
            guard let event = ClientEvent(rawValue: try record.string()) else { throw RecordFault() }
            return .refused(event, try record.value(), try record.value())
        case 6: return .evicted(RoomID(try record.string()), reason: try record.string(), try record.value())
        default: throw RecordFault()
        }
    }
}
