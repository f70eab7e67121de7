import Rooms
import Sessions
import Transport
import Wire

/// A room on its home shard, where its events get their order and its ticks are made.
final class HomeRoom {
    /// Somebody who has joined and is told so with the next tick.
    struct PendingJoin {
        let connection: ConnectionID
        let slot: Int
        /// The newest entry of this room that the connection has, if it comes back and that is known.
        var since: UInt64?
        /// Called once; with an error when it came to nothing after all.
        let answer: (Result<JoinAnswer, RoomError>) -> Void
    }

    let id: RoomID
    var room: Room
    private(set) var joins: [PendingJoin] = []
    /// The state that the clients are being told which came in last, until all of them have been.
    private weak var stateUnderWay: RoomState?
    /// Clients that want to come in meanwhile: all of them come in with one tick after that.
    private var entering = Fifo<LoadingRoom.Waiting>()
    /// How many connections each shard has in this room: those with any, the `subscribers`, get the deltas.
    private var connectionsOfShard: [Int]
    private(set) var subscribers: [Int] = []
    /// Subscribers that lack a delta and have not given the room up yet, and whether there were more since.
    var behind: [Int: Bool] = [:]
    var isQueued = false
    var lastTickAt = Int64.min / 2
    let timer = LoopTimer()
    let graceTimer = LoopTimer()
    let storeTimer = LoopTimer()
    /// Nil when nothing outlives the server.
    var journal: RoomJournal?
    /// Whether so much waits to be stored that nothing is taken that can be refused.
    var isFull = false {
        didSet { if isFull != oldValue { gate.set(isFull ? .full : .open) } }
    }
    /// What the members' shards see of that.
    let gate = RoomGate()
    var activity = RoomActivity()
    let counters: RelayCounters

    /// - Parameters:
    ///   - info: the room as clients are shown it.
    ///   - isStored: whether what it logs is to be stored.
    init(
        id: RoomID, info: [UInt8], limits: RoomLimits, shardCount: Int, contents: RoomContents?, isStored: Bool,
        counters: RelayCounters
    ) {
        self.id = id
        self.counters = counters
        let incarnation = UInt64.random(in: 1..<1 << 48)
        room = Room(
            id: id.text, incarnation: incarnation, info: info, limits: limits, contents: contents,
            keepsRecords: isStored)
        if isStored { journal = RoomJournal(storedSeq: contents?.seq ?? 0) }
        connectionsOfShard = Array(repeating: 0, count: shardCount)
    }

    var isEmpty: Bool { room.participantCount == 0 && joins.isEmpty && entering.isEmpty }
    /// How many wait to come in.
    var enteringCount: Int { entering.count }
    /// Whether clients are still being told the state of the tick with which they came in. A room has the memory of one
    /// state, however many join and however slowly they can be told. Its members are told of all new ones at once, and not
    /// of a few with each tick.
    var isTelling: Bool { stateUnderWay != nil }
    /// Whether all that was told to the members is stored, if it is to be.
    var isStored: Bool { journal?.isEmpty ?? true }

    func subscribe(_ connection: ConnectionID) {
        connectionsOfShard[connection.shard] += 1
        if connectionsOfShard[connection.shard] == 1 { subscribers.append(connection.shard) }
    }

    /// Has a client wait until others have been told the state.
    func enterLater(_ waiting: LoadingRoom.Waiting) {
        entering.append(waiting)
    }

    /// One that waited, in the order in which they came.
    func takeEntering() -> LoadingRoom.Waiting? { entering.takeFirst() }

    /// A connection does not come in any more.
    func takeEntering(_ connection: ConnectionID) -> [LoadingRoom.Waiting] {
        var (kept, taken) = (Fifo<LoadingRoom.Waiting>(), [LoadingRoom.Waiting]())
        while let waiting = entering.takeFirst() {
            if waiting.connection == connection { taken.append(waiting) } else { kept.append(waiting) }
        }
        entering = kept
        return taken
    }

    /// The connection's joins that wait for their answer are given back: the room will not answer them.
    @discardableResult
    func unsubscribe(_ connection: ConnectionID) -> [PendingJoin] {
        connectionsOfShard[connection.shard] -= 1
        if connectionsOfShard[connection.shard] == 0 { subscribers.removeAll { $0 == connection.shard } }
        let waiting = joins.filter { $0.connection == connection }
        joins.removeAll { $0.connection == connection }
        return waiting
    }

    func answerWithNextTick(_ join: PendingJoin) {
        joins.append(join)
    }

    /// The joins that wait, which the room will not answer.
    func takeJoins() -> [PendingJoin] {
        let waiting = joins
        joins = []
        return waiting
    }

    /// What the clients get that have joined since the last tick. The state is written once for all of them.
    func takeJoinAnswers() -> [(PendingJoin, JoinAnswer)] {
        guard !joins.isEmpty else { return [] }
        let waiting = takeJoins()
        let snapshot = room.snapshot()
        var state: RoomState?
        defer { stateUnderWay = state }
        return waiting.map { join in
            let told: JoinAnswer.Told
            if let missed = join.since.flatMap({ room.entries(after: $0) }) {
                told = .missed(missed)
            } else {
                let shared = state ?? room.state()
                state = shared
                told = .state(shared, listed: room.listed(join.slot))
            }
            let answer = JoinAnswer(
                slot: join.slot, told: told, snapshot: snapshot, seq: room.lastSeq, idJSON: room.idJSON,
                incarnation: room.incarnation, gate: gate)
            return (join, answer)
        }
    }
}

/// What a shard is told when one of its clients has joined a room.
struct JoinAnswer: Sendable {
    /// What the client is told.
    enum Told {
        /// The whole room, and its own entry in the list of participants.
        case state(RoomState, listed: [UInt8])
        /// What was logged since: it goes on where it was.
        case missed([LogEntry])
    }

    let slot: Int
    let told: Told
    let snapshot: RoomDelta
    let seq: UInt64
    let idJSON: [UInt8]
    let incarnation: UInt64
    let gate: RoomGate
}
