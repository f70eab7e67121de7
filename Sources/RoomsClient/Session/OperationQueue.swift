/// A change of a room's elements that must not be lost.
struct Operation {
    enum Kind: Equatable {
        case create
        /// With the version that the element must have, if one was asked for.
        case update(version: Int?)
        case edit
        case delete

        var event: String {
            switch self {
            case .create: "element:create"
            case .update: "element:update"
            case .edit: "element:edit"
            case .delete: "element:delete"
            }
        }
    }

    let kind: Kind
    let roomID: String
    /// The element's id, or of a new one the key under which the server knows a repetition.
    let key: String
    let argument: [UInt8]
    let done: (Result<Answer, ClientError>) -> Void
}

/// Operations that wait to be sent or answered, in the order of the calls.
///
/// Several are in progress at once, but only one for each element. So an operation that is sent again after a refusal,
/// or on a new connection, cannot overtake a later one.
struct OperationQueue {
    static let underWayMax = 16

    enum Verdict: Equatable {
        case finished
        /// It stays in the queue and is sent again.
        case again
    }

    private struct Item {
        let number: UInt64
        let operation: Operation
        var isUnderWay = false
        var timesSent = 0
    }

    let countMax: Int
    private var items: [Item] = []
    private var nextNumber: UInt64 = 1

    init(countMax: Int) {
        self.countMax = countMax
    }

    var count: Int { items.count }
    var underWayCount: Int { items.count { $0.isUnderWay } }

    /// Answers false when there is no room for it.
    mutating func append(_ operation: Operation) -> Bool {
        guard items.count < countMax else { return false }
        items.append(Item(number: nextNumber, operation: operation))
        nextNumber += 1
        return true
    }

    /// The next that may be sent, which then is under way.
    mutating func take(whereRoom mayBeSent: (String) -> Bool) -> (number: UInt64, operation: Operation)? {
        guard underWayCount < Self.underWayMax else { return nil }
        var earlier: Set<String> = []
        for index in items.indices {
            let operation = items[index].operation
            let isFirst = earlier.insert("\(operation.roomID.utf8.count):\(operation.roomID)\(operation.key)").inserted
            guard isFirst, !items[index].isUnderWay, mayBeSent(operation.roomID) else { continue }
            items[index].isUnderWay = true
            items[index].timesSent += 1
            return (items[index].number, operation)
        }
        return nil
    }

    /// What an answer means; a repetition may find its own doing. `own` is this client's id in the room.
    mutating func answered(_ number: UInt64, _ result: Result<Answer, ClientError>, own: String?) -> Verdict {
        guard let index = items.firstIndex(where: { $0.number == number }) else { return .finished }
        let item = items[index]
        switch Self.meaning(result, item, own) {
        case .failure(.connectionLost), .failure(.timedOut), .failure(.notConnected):
            items[index].isUnderWay = false
            return .again
        case .failure(.refused(let refusal)) where Self.passing.contains(refusal.code):
            items[index].isUnderWay = false
            return .again
        case let final:
            items.remove(at: index)
            item.operation.done(final)
            return .finished
        }
    }

    /// Refusals that say nothing of the operation itself. With `SERVER_ERROR` it may be made, and is not stored.
    private static let passing: Set<String> = ["RATE_LIMITED", "SERVER_ERROR", "SHUTTING_DOWN", "UNAUTHORIZED"]

    private static func meaning(
        _ result: Result<Answer, ClientError>, _ item: Item, _ own: String?
    ) -> Result<Answer, ClientError> {
        guard item.timesSent > 1, case .failure(.refused(let refusal)) = result else { return result }
        switch item.operation.kind {
        case .delete where refusal.code == "NOT_FOUND":
            return .success(Answer(json: Array("{\"ok\":true}".utf8), element: nil, version: nil))
        case .update(let version?) where refusal.code == "CONFLICT":
            guard let element = refusal.element, Element.mayFollow(element.version, version), element.updatedBy == own,
                own != nil
            else { return result }
            return .success(Answer(json: Array("{\"ok\":true}".utf8), element: element, version: element.version))
        default: return result
        }
    }

    /// The connection was lost: operations in progress have to be sent again.
    mutating func interrupt() {
        for index in items.indices { items[index].isUnderWay = false }
    }

    /// Fails the operations of one room, or all.
    mutating func fail(_ error: ClientError, room: String? = nil) {
        let failing = items.filter { room == nil || $0.operation.roomID == room }
        items.removeAll { room == nil || $0.operation.roomID == room }
        for item in failing { item.operation.done(.failure(error)) }
    }
}
