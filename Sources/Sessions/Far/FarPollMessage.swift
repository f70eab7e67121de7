import Transport
import Wire

/// What nodes of a cluster tell each other of polling requests that have come to the wrong node.
///
/// A session's `sid` names its node. A node that gets a request for a session of another one passes it on, and gets the
/// answer to pass back. A number belongs to one request of the node that passes it on, and names the shard that waits.
package enum FarPollMessage: Sendable, Equatable {
    case request(FarPollRequest)
    case answer(UInt64, FarPollAnswer)
    /// The client has gone and does not read the answer. With the shard of the session.
    case gone(UInt64, shard: Int)

    /// The first number of these records. Those of the relay are smaller.
    package static let kind: UInt64 = 64

    /// The shard of the receiving node that the message is for.
    package var shard: Int {
        switch self {
        case .request(let request): request.session.shard
        case .answer(let number, _): Int(number & 0xff)
        case .gone(_, let shard): shard
        }
    }

    package var record: [UInt8] {
        var record = RecordWriter()
        record.put(Self.kind)
        switch self {
        case .request(let request):
            record.put(1)
            record.put(request)
        case .answer(let number, let answer):
            record.put(2)
            record.put(number)
            record.put(answer)
        case .gone(let number, let shard):
            record.put(3)
            record.put(number)
            record.put(shard)
        }
        return record.bytes
    }

    /// Nil when the record is of another kind.
    package init?(record bytes: [UInt8]) throws(RecordFault) {
        var record = RecordReader(bytes)
        guard try record.number() == Self.kind else { return nil }
        switch try record.int() {
        case 1: self = .request(try record.value())
        case 2: self = .answer(try record.number(), try record.value())
        case 3: self = .gone(try record.number(), shard: try record.int(upTo: 255))
        default: throw RecordFault()
        }
        guard record.isAtEnd else { throw RecordFault() }
    }
}

/// A polling request for a session of another node.
package struct FarPollRequest: Sendable, Equatable, Recordable {
    package var number: UInt64
    package var session: SessionID
    package var isPost: Bool
    /// The query item `EIO`.
    package var version: String
    package var contentType: String?
    package var body: [UInt8]

    package init(
        number: UInt64, session: SessionID, isPost: Bool, version: String, contentType: String?, body: [UInt8]
    ) {
        self.number = number
        self.session = session
        self.isPost = isPost
        self.version = version
        self.contentType = contentType
        self.body = body
    }

    package func write(to record: inout RecordWriter) {
        record.put(number)
        record.put(session.description)
        record.put(isPost)
        record.put(version)
        record.put(contentType) { $1.put($0) }
        record.put(body)
    }

    package init(from record: inout RecordReader) throws(RecordFault) {
        number = try record.number()
        guard let session = SessionID(try record.string()) else { throw RecordFault() }
        self.session = session
        isPost = try record.bool()
        version = try record.string()
        contentType = try record.optional { record throws(RecordFault) in try record.string() }
        body = try record.blob()
    }
}

package struct FarPollAnswer: Sendable, Equatable, Recordable {
    package var status: Int
    package var headers: [Header]
    package var body: [UInt8]

    package struct Header: Sendable, Equatable, Recordable {
        package var name: String
        package var value: String

        package init(_ name: String, _ value: String) { (self.name, self.value) = (name, value) }

        package func write(to record: inout RecordWriter) {
            record.put(name)
            record.put(value)
        }

        package init(from record: inout RecordReader) throws(RecordFault) {
            (name, value) = (try record.string(), try record.string())
        }
    }

    package init(status: Int, headers: [Header], body: [UInt8]) {
        self.status = status
        self.headers = headers
        self.body = body
    }

    package func write(to record: inout RecordWriter) {
        record.put(status)
        record.put(headers)
        record.put(body)
    }

    package init(from record: inout RecordReader) throws(RecordFault) {
        (status, headers, body) = (try record.int(upTo: 599), try record.values(), try record.blob())
    }
}

/// The way of a node's sessions to the other nodes, for any thread.
package protocol FarNodes: Sendable {
    /// Whether messages can be sent to a node.
    func isReached(_ node: Int) -> Bool
    /// Returns false when the message is not sent: the node cannot be reached, or too much waits for it.
    func send(_ message: FarPollMessage, to node: Int) -> Bool
}

/// For the sessions of a shard, from another node or about it.
package enum FarPollItem: ShardItem {
    case message(FarPollMessage, from: Int)
    /// The node cannot be reached any more; all that is under way between the nodes is gone.
    case lost(Int)

    package func arrive(on shard: Shard) {
        let far = shard.local(SessionService.self)?.far
        switch self {
        case .message(let message, let node): far?.received(message, from: node)
        case .lost(let node): far?.lost(node)
        }
    }
}
