import Rooms
import Transport

/// A room on its home shard, which orders its events and makes its ticks.
final class HomeRoom {
    /// A client that has entered, and gets the answer with the next tick.
    struct PendingEntry {
        let entry: Entry
        let slot: Int
        /// The newest entry of this room's log that the client has, if it comes back and the entry is known.
        let since: UInt64?
    }

    private struct UnstoredEnd {
        /// Nil when the touch had ended already.
        let last: TouchPosition?
        /// The log has the end with this entry.
        let seq: UInt64
        let number: UInt64
    }

    let id: RoomID
    var room: Room
    private unowned let home: Home
    private(set) var pending: [PendingEntry] = []
    /// The newest state, while it is still being sent to clients.
    private weak var stateUnderWay: RoomState?
    /// Clients that want to enter meanwhile. All of them enter together with one later tick.
    private var entering = EntryLine()
    /// The sinks of the room's deltas.
    private(set) var subscribers: [Subscriber] = []
    /// What nodes are told whose members all see a part of the room.
    private var sights: [Int: NodeSight] = [:]
    /// Subscribers that lack a delta and have not given the room up yet.
    var behind: [DeltaSink: DeltaGap] = [:]
    var isQueued = false
    /// True while the clients enter that have waited for the room to be read. The room is not given up between two of
    /// them.
    var isOpening = false
    var lastTickAt = Int64.min / 2
    let timer = LoopTimer()
    let graceTimer = LoopTimer()
    let storeTimer = LoopTimer()
    /// Nil without a store.
    var journal: RoomJournal?
    /// Whether the store has something else than members were told.
    var isLost = false
    /// Whether the store has yet to count that, before the room is read anew.
    var owesLoss = false
    /// Whether so many entries wait to be stored that the room refuses everything that can be refused.
    var isFull = false {
        didSet { if isFull != oldValue { tellGate() } }
    }
    /// Nil while the room is not recorded.
    var recording: HomeRecording?
    /// Whether this home has begun to record the room: then it goes on with nothing from before.
    var hasRecorded = false
    /// Before this the server does not begin a recording by itself.
    var recordsNotBefore = Int64.min
    /// The proof that this node is home to the room; nil on a server that is not part of a cluster.
    let fence: Int64?
    /// The part of this that the members' shards see.
    let gate = RoomGate()
    var activity = RoomActivity()
    /// The newest end of each connection's touch, until the store has it. In a cluster another node can become the
    /// room's home before.
    private var unstoredEnds: [ConnectionID: UnstoredEnd] = [:]
    let counters: RelayCounters

    /// - Parameters:
    ///   - info: the room's description for clients.
    ///   - isStored: whether the room's entries are stored.
    init(
        id: RoomID, info: [UInt8], limits: RoomLimits, contents: RoomContents?, isStored: Bool,
        counters: RelayCounters, home: Home, fence: Int64? = nil
    ) {
        self.fence = fence
        self.id = id
        self.counters = counters
        self.home = home
        var random = home.random
        let incarnation = UInt64.random(in: 1..<1 << 48, using: &random)
        room = Room(
            id: id.text, incarnation: incarnation, info: info, limits: limits, contents: contents,
            keepsRecords: isStored, seatsPresentAt: fence == nil ? nil : home.now)
        if isStored { journal = RoomJournal(storedSeq: contents?.seq ?? 0) }
        timer.fire = { [weak self] in
            if let self { self.home.tickIsDue(self) }
        }
        if let flight = home.hub.flights?.recorder(of: id.text) { room.begin(flight) }
    }

    private func tellGate() {
        gate.set(isFull ? .full : .open)
        for subscriber in subscribers {
            guard case .node(let node) = subscriber.sink else { continue }
            home.context.post(.outpost(id, .isFull(isFull), from: home.hub.node), to: node)
        }
    }

    var isEmpty: Bool { room.participantCount == 0 && pending.isEmpty && entering.isEmpty }
    /// How many clients wait to enter.
    var enteringCount: Int { entering.count }
    /// Whether a state is still being sent to the clients that entered with its tick. While it is, other clients wait.
    /// So a room needs the memory of one state at most, however many clients join and however slowly they read. Its
    /// members are told of all new participants at once.
    var isTelling: Bool { stateUnderWay != nil }
    /// Whether everything that members have got is stored, if the room is stored at all.
    var isStored: Bool { journal.map { $0.isEmpty && room.records.isEmpty } ?? !owesLoss }

    /// Moves a member of this shard.
    @inline(__always)
    func moveTouch(
        of connection: ConnectionID, slot: Int, x: Span<UInt8>, y: Span<UInt8>, elementID: Span<UInt8>
    ) throws(RoomError) {
        try room.moveTouch(of: connection, slot: slot, x: x, y: y, elementID: elementID)
        activity.touches &+= 1
        home.changed(self)
    }

    /// A connection that is not in the room any more has no touch to end.
    ///
    /// - Parameter number: the connection's node keeps the touch until it gets this back.
    func endTouch(of connection: ConnectionID, number: UInt64 = 0) {
        end(connection, number)
        home.changed(self)
    }

    private func end(_ connection: ConnectionID, _ number: UInt64) {
        let last = fence == nil ? nil : room.touch(of: connection) ?? unstoredEnds[connection]?.last
        try? room.endTouch(of: connection)
        guard fence != nil, room.contains(connection) else { return }
        unstoredEnds[connection] = UnstoredEnd(last: last, seq: room.lastSeq, number: number)
        forgetStoredEnds()
    }

    /// Sets the touch of a member that has just entered, if the home before may have lost it.
    func restore(_ touch: KeptTouches.Touch, of connection: ConnectionID) {
        touch.position.deliver(to: &room)
        if let number = touch.end { end(connection, number) }
    }

    func forgetEnd(of connection: ConnectionID) { unstoredEnds[connection] = nil }

    /// The next home knows what is stored.
    func forgetStoredEnds() {
        guard !unstoredEnds.isEmpty, let stored = journal?.storedSeq else { return }
        for (connection, end) in unstoredEnds where end.seq <= stored {
            unstoredEnds[connection] = nil
            guard connection.node != home.hub.node else { continue }
            home.context.post(
                .outpost(id, .endStored(connection, number: end.number), from: home.hub.node), to: connection.node)
        }
    }

    // MARK: Subscribers

    private func sink(of connection: ConnectionID) -> DeltaSink {
        connection.node == home.hub.node ? .shard(connection.shard) : .node(connection.node)
    }

    func subscribe(_ connection: ConnectionID) {
        let sink = sink(of: connection)
        if let index = subscribers.firstIndex(where: { $0.sink == sink }) {
            subscribers[index].connections += 1
        } else {
            subscribers.append(Subscriber(sink: sink, connections: 1))
        }
    }

    /// Gives back the connection's entries that wait for their answer: the room will not answer them.
    @discardableResult
    func unsubscribe(_ connection: ConnectionID) -> [Entry] {
        let sink = sink(of: connection)
        if let index = subscribers.firstIndex(where: { $0.sink == sink }) {
            subscribers[index].connections -= 1
            if subscribers[index].connections == 0 {
                subscribers.remove(at: index)
                if let node = sink.node { sights[node] = nil }
            }
        }
        let waiting = pending.filter { $0.entry.connection == connection }.map(\.entry)
        pending.removeAll { $0.entry.connection == connection }
        return waiting
    }

    /// A node is told of these squares from now on; nil for everything. Answers false when that changes nothing.
    func see(_ squares: SquareSet?, from node: Int) -> Bool {
        guard subscribers.contains(where: { $0.sink == .node(node) }), squares != nil || sights[node] != nil else {
            return false
        }
        sights[node, default: NodeSight(room)].see(squares)
        room.tickAnyway()
        return true
    }

    /// The newest delta as a node is told it.
    ///
    /// - Parameter isLate: whether the node gets positions later.
    func delta(_ delta: RoomDelta, for node: Int, isLate: Bool) -> RoomDelta {
        if isLate, sights[node] == nil { sights[node] = NodeSight(room) }
        guard let told = sights[node]?.take(delta, of: room, isLate: isLate) else { return delta }
        if sights[node]?.isOver == true { sights[node] = nil }
        return told
    }

    /// Nodes that get positions later.
    var owedNodes: [Int] { sights.filter { $0.value.isOwed }.map(\.key) }

    // MARK: Entries

    /// Makes a client wait until others have got the state.
    func enterLater(_ entry: Entry) {
        entering.append(entry)
    }

    /// The next waiting client, in their order.
    func takeEntering() -> Entry? { entering.takeFirst() }

    /// Removes a connection from the waiting ones.
    func takeEntering(_ connection: ConnectionID) -> [Entry] { entering.take(connection) }

    func answerWithNextTick(_ entry: PendingEntry) {
        pending.append(entry)
    }

    /// Connections of a node that wait to enter.
    func enteringConnections(ofNode node: Int) -> [ConnectionID] { entering.connections.filter { $0.node == node } }

    /// The nodes of connections that wait to enter, or for the answer that they have.
    var enteringNodes: Set<Int> {
        Set(entering.connections.map(\.node)).union(pending.map(\.entry.connection.node))
    }

    /// The touches of this node's members: the current ones, and those whose end is not stored.
    var keptTouches: KeptTouches {
        var touches = KeptTouches()
        for (connection, end) in unstoredEnds where connection.node == home.hub.node {
            guard let last = end.last else { continue }
            touches.note(TouchParcel(id, last))
            touches.end(connection, end.number)
        }
        for position in room.positions where position.mover.node == home.hub.node {
            touches.note(TouchParcel(id, position))
        }
        return touches
    }

    /// Whether a change is of a connection that has not entered.
    func waits(for asker: ElementAsker) -> Bool {
        guard case .member(let connection, _, _) = asker else { return false }
        return !room.contains(connection)
    }

    /// All waiting entries, which the room will not answer.
    func takeEntries() -> [Entry] {
        var all = pending.map(\.entry)
        pending = []
        while let entry = entering.takeFirst() { all.append(entry) }
        return all
    }

    /// The answers for the clients that have entered since the last tick. The state is written once for all of them.
    ///
    /// - Parameter isLate: whether a node is late: its clients are answered with a later tick. The states of many rooms at once
    ///   would be more than may wait for a node.
    func takeEntryAnswers(isLate: (Int) -> Bool) -> [(Entry, EntryAnswer)] {
        guard !pending.isEmpty else { return [] }
        let late = Set(pending.map(\.entry.connection.node)).filter(isLate)
        let answered = pending.filter { !late.contains($0.entry.connection.node) }
        guard !answered.isEmpty else { return [] }
        pending.removeAll { !late.contains($0.entry.connection.node) }
        let snapshot = room.snapshot(interval: Int(home.tickInterval(of: self)))
        var state: RoomState?
        defer { stateUnderWay = state }
        return answered.map { pending in
            let told: EntryAnswer.Told
            if let missed = pending.since.flatMap({ room.entries(after: $0) }) {
                told = .missed(missed)
            } else {
                let shared = state ?? room.state()
                state = shared
                told = .state(shared, listed: room.listed(pending.slot))
            }
            let answer = EntryAnswer(
                slot: pending.slot, told: told, snapshot: snapshot, seq: room.lastSeq, idJSON: room.idJSON,
                incarnation: room.incarnation, gate: gate)
            return (pending.entry, answer)
        }
    }
}

/// A sink of a room's deltas.
package enum DeltaSink: Hashable, Sendable {
    /// A shard of this node.
    case shard(Int)
    /// The room's outpost on another node.
    case node(Int)

    /// Nil for a shard of this node.
    var node: Int? { if case .node(let node) = self { node } else { nil } }
}

/// A sink, and how many connections it has in the room.
struct Subscriber: Sendable {
    let sink: DeltaSink
    var connections: Int
}

/// How far a subscriber is behind that could not take a delta.
enum DeltaGap {
    /// It was asked to give the room up, and has not answered.
    case givesUp
    /// It lacks later deltas too, so clients that have joined there meanwhile may lack them.
    case givesUpAndLacksMore
}
