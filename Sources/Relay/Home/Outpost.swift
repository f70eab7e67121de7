import Rooms
import Sessions
import Transport

/// A room whose home is another node, on the shard that would be its home on this one.
///
/// All that clients of this node send to the room goes through here, and all that the room's home sends to them. So each
/// delta goes from node to node once, and nothing overtakes anything. An outpost knows what was asked and not answered:
/// when the home is lost, it is asked again or refused.
final class Outpost {
    let id: RoomID
    /// The home's node.
    let node: Int
    /// For the shards of this node.
    private(set) var gate = RoomGate()
    private(set) var members: Set<ConnectionID> = []
    private(set) var subscribers: [Subscriber] = []
    /// Clients that wait for the home's answer.
    private(set) var entering = EntryLine()
    /// Changes and commands that the home has not answered, the oldest first. When the home is lost they must not be
    /// repeated: they may have been carried out.
    private var questions: [HomeMessage] = []
    /// The permission mark of the home's node; nil until it is known.
    var homeMark: UInt64?
    /// The length of the newest state: joins are charged before the home knows its own.
    var stateByteCount = 0
    /// The newest touch of each member, until the home has stored its end. The home may be lost before.
    var touches = KeptTouches()
    /// Members whose newest position the home gets later, because it is late.
    private var owed: Set<ConnectionID> = []

    /// What the members see who have a view.
    private var views: [ConnectionID: ViewArea] = [:]
    /// What the home tells this node; nil for everything. When it was asked for that.
    private(set) var sight: SquareSet?
    private(set) var sightSetAt = Int64.min / 2
    let sightTimer = LoopTimer()

    init(_ id: RoomID, at node: Int) {
        self.id = id
        self.node = node
    }

    var isEmpty: Bool { members.isEmpty && entering.isEmpty && questions.isEmpty }
    /// How many clients and questions wait for the home.
    var waitingCount: Int { entering.count + questions.count }

    // MARK: Members

    /// The home then tells everything.
    func enter(_ entry: Entry) {
        entering.append(entry)
        sight = nil
    }

    /// The home has answered one entry of a connection. Nil when the connection has gone meanwhile.
    func takeEntering(_ connection: ConnectionID) -> Entry? { entering.takeFirst(of: connection) }

    func add(_ connection: ConnectionID) {
        guard members.insert(connection).inserted else { return }
        let sink = DeltaSink.shard(connection.shard)
        if let index = subscribers.firstIndex(where: { $0.sink == sink }) {
            subscribers[index].connections += 1
        } else {
            subscribers.append(Subscriber(sink: sink, connections: 1))
        }
    }

    /// A connection is not in the room any more.
    ///
    /// - Parameter keepsTouch: false when it cannot enter again.
    func remove(_ connection: ConnectionID, keepsTouch: Bool = false) {
        _ = entering.take(connection)
        if !keepsTouch { touches.remove(connection) }
        removeMember(connection)
    }

    /// Whether a connection has a touch that it has not ended.
    func isTouching(_ connection: ConnectionID) -> Bool { touches[connection].map { $0.end == nil } ?? false }

    /// The home has removed a connection from the room. What it has not answered it has yet to get.
    func evict(_ connection: ConnectionID) {
        touches.remove(connection)
        removeMember(connection)
    }

    private func removeMember(_ connection: ConnectionID) {
        guard members.remove(connection) != nil else { return }
        views[connection] = nil
        let sink = DeltaSink.shard(connection.shard)
        guard let index = subscribers.firstIndex(where: { $0.sink == sink }) else { return }
        subscribers[index].connections -= 1
        if subscribers[index].connections == 0 { subscribers.remove(at: index) }
    }

    /// The room was closed: it has no members any more. Clients that are entering come to the next room with its id.
    func close() {
        gate.set(.closed)
        gate = RoomGate()
        (members, subscribers, touches, owed) = ([], [], KeptTouches(), [])
        views = [:]
    }

    // MARK: Positions

    /// The home gets these positions later.
    func owe(_ parcel: TouchParcel) {
        touches.note(parcel)
        parcel.each { connection, _, _, _, _ in owed.insert(connection) }
    }

    /// The home gets these positions now, in place of older ones.
    func send(_ parcel: TouchParcel) {
        touches.note(parcel, sentOf: members)
        guard !owed.isEmpty else { return }
        parcel.each { connection, _, _, _, _ in owed.remove(connection) }
    }

    var owesPositions: Bool { !owed.isEmpty }

    /// The newest positions that the home lacks; only that of one connection if there is one.
    func takeOwed(of connection: ConnectionID? = nil) -> [TouchParcel] {
        let due = connection.map { owed.intersection([$0]) } ?? owed
        owed.subtract(due)
        return due.sorted { $0.bits < $1.bits }.compactMap { connection in
            guard let position = touches[connection]?.position else { return nil }
            if members.contains(connection) { touches.noteSent(of: connection) }
            return position
        }
    }

    // MARK: Views

    func setView(_ area: ViewArea, of connection: ConnectionID) {
        if members.contains(connection) { views[connection] = area }
    }

    /// What the members see, if all of them have a view and nobody enters.
    private var seen: SquareSet? {
        entering.isEmpty && !views.isEmpty && views.count == members.count ? SquareSet(Array(views.values)) : nil
    }

    /// Whether the home has to tell something else; then this is what.
    func takeSight(at now: Int64) -> Bool {
        let seen = seen
        guard seen != sight else { return false }
        (sight, sightSetAt) = (seen, now)
        return true
    }

    // MARK: Questions

    func ask(_ question: HomeMessage) { questions.append(question) }

    func takeQuestions() -> [HomeMessage] {
        defer { questions = [] }
        return questions
    }

    /// Whether a change is of a member that the home has not admitted.
    func waits(for asker: ElementAsker) -> Bool {
        guard case .member(let connection, _, _) = asker else { return false }
        return !members.contains(connection)
    }

    /// The home has answered the oldest change of a member with this number, or has made one that wants no answer.
    ///
    /// - Returns: false when none waits for that: it was refused because this home, or the one before, was lost.
    @discardableResult
    func answered(_ connection: ConnectionID, ackID: UInt64?) -> Bool {
        let index = questions.firstIndex { question in
            guard case .change(_, .member(let asker, _, let call)) = question else { return false }
            return asker == connection && call.ackID == ackID
        }
        if let index { questions.remove(at: index) }
        return index != nil
    }

    func answered(_ number: UInt64) {
        questions.removeAll { question in
            switch question {
            case .change(_, .person(_, number)), .changeFromOutside(_, _, .person(_, number)), .command(_, number): true
            default: false
            }
        }
    }
}
