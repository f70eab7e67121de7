import Store
import Wire

/// What an operator orders of all nodes. Each node answers with the number of connections that it was about.
package enum NodeOrder: Sendable, Equatable {
    /// Ends connections for good.
    case disconnect(ConnectionsOf)
    /// Ends the connections of a user or an address, and lets them in again only after the end of the ban.
    case ban(Ban)
    /// Lets a user or an address in again.
    case lift(BanSubject)
    /// Tells all clients `server:message` with this argument, a JSON object.
    case tell([UInt8])
}

/// Without `disconnect`, which earlier versions know as a message of its own.
extension NodeOrder: Recordable {
    package func write(to record: inout RecordWriter) {
        switch self {
        case .disconnect(let whose):
            record.put(1)
            record.put(whose.person)
            record.put(whose.session ?? "")
        case .ban(let ban):
            record.put(2)
            record.put(ban.subject.kind.rawValue)
            record.put(ban.subject.id)
            record.put(ban.reason)
            record.put(UInt64(clamping: ban.madeAt))
            record.put(UInt64(clamping: ban.endsAt))
        case .lift(let subject):
            record.put(3)
            record.put(subject.kind.rawValue)
            record.put(subject.id)
        case .tell(let argument):
            record.put(4)
            record.put(argument)
        }
    }

    package init(from record: inout RecordReader) throws(RecordFault) {
        switch try record.int() {
        case 1:
            let (person, session) = (try record.string(), try record.string())
            self = .disconnect(ConnectionsOf(person, session: session.isEmpty ? nil : session))
        case 2:
            let (subject, reason) = (try Self.subject(from: &record), try record.string())
            let (madeAt, endsAt) = (Int64(clamping: try record.number()), Int64(clamping: try record.number()))
            self = .ban(Ban(subject, reason: reason, madeAt: madeAt, endsAt: endsAt))
        case 3: self = .lift(try Self.subject(from: &record))
        case 4: self = .tell(try record.blob())
        default: throw RecordFault()
        }
    }

    private static func subject(from record: inout RecordReader) throws(RecordFault) -> BanSubject {
        guard let kind = BanSubject.Kind(rawValue: try record.string()) else { throw RecordFault() }
        return BanSubject(kind, try record.string())
    }
}
