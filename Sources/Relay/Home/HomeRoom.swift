import Rooms
import Transport

/// A room on its home shard, where its events get their order and its ticks are made.
final class HomeRoom {
    /// A client that has come in and is told so with the next tick.
    struct PendingEntry {
        let entry: Entry
        let slot: Int
        /// The newest entry of this room's log that the client has, if it comes back and that is known.
        let since: UInt64?
    }

    let id: RoomID
    var room: Room
    private unowned let home: Home
    private(set) var pending: [PendingEntry] = []
    /// The state that the clients are being told which came in last, until all of them have been.
    private weak var stateUnderWay: RoomState?
    /// Clients that want to come in meanwhile: all of them come in with one tick after that.
    private var entering = EntryLine()
    /// Where the room's deltas go.
    private(set) var subscribers: [Subscriber] = []
    /// Subscribers that lack a delta and have not given the room up yet.
    var behind: [DeltaSink: DeltaGap] = [:]
    var isQueued = false
    /// While those come in who have waited for the room to be read: it is not given up between two of them.
    var isOpening = false
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
        id: RoomID, info: [UInt8], limits: RoomLimits, contents: RoomContents?, isStored: Bool,
        counters: RelayCounters, home: Home
    ) {
        self.id = id
        self.counters = counters
        self.home = home
        var random = home.random
        let incarnation = UInt64.random(in: 1..<1 << 48, using: &random)
        room = Room(
            id: id.text, incarnation: incarnation, info: info, limits: limits, contents: contents,
            keepsRecords: isStored)
        if isStored { journal = RoomJournal(storedSeq: contents?.seq ?? 0) }
        timer.fire = { [weak self] in
            if let self { self.home.tickIsDue(self) }
        }
    }

    var isEmpty: Bool { room.participantCount == 0 && pending.isEmpty && entering.isEmpty }
    /// How many wait to come in.
    var enteringCount: Int { entering.count }
    /// Whether clients are still being told the state of the tick with which they came in. A room has the memory of one
    /// state, however many join and however slowly they can be told. Its members are told of all new ones at once, and not
    /// of a few with each tick.
    var isTelling: Bool { stateUnderWay != nil }
    /// Whether all that was told to the members is stored, if it is to be.
    var isStored: Bool { journal.map { $0.isEmpty && room.records.isEmpty } ?? true }

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
    func endTouch(of connection: ConnectionID) {
        try? room.endTouch(of: connection)
        home.changed(self)
    }

    // MARK: Subscribers

    func subscribe(_ connection: ConnectionID) {
        let sink = DeltaSink.shard(connection.shard)
        if let index = subscribers.firstIndex(where: { $0.sink == sink }) {
            subscribers[index].connections += 1
        } else {
            subscribers.append(Subscriber(sink: sink, connections: 1))
        }
    }

    /// The connection's entries that wait for their answer are given back: the room will not answer them.
    @discardableResult
    func unsubscribe(_ connection: ConnectionID) -> [Entry] {
        let sink = DeltaSink.shard(connection.shard)
        if let index = subscribers.firstIndex(where: { $0.sink == sink }) {
            subscribers[index].connections -= 1
            if subscribers[index].connections == 0 { subscribers.remove(at: index) }
        }
        let waiting = pending.filter { $0.entry.connection == connection }.map(\.entry)
        pending.removeAll { $0.entry.connection == connection }
        return waiting
    }

    // MARK: Entries

    /// Has a client wait until others have been told the state.
    func enterLater(_ entry: Entry) {
        entering.append(entry)
    }

    /// One that waited, in the order in which they came.
    func takeEntering() -> Entry? { entering.takeFirst() }

    /// A connection does not come in any more.
    func takeEntering(_ connection: ConnectionID) -> [Entry] { entering.take(connection) }

    func answerWithNextTick(_ entry: PendingEntry) {
        pending.append(entry)
    }

    /// All that wait, which the room will not answer.
    func takeEntries() -> [Entry] {
        var all = pending.map(\.entry)
        pending = []
        while let entry = entering.takeFirst() { all.append(entry) }
        return all
    }

    /// What the clients are told that have come in since the last tick. The state is written once for all of them.
    func takeEntryAnswers() -> [(Entry, EntryAnswer)] {
        guard !pending.isEmpty else { return [] }
        let answered = pending
        pending = []
        let snapshot = room.snapshot()
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

/// Where a room's deltas go.
package enum DeltaSink: Hashable, Sendable {
    case shard(Int)
}

/// A sink, and how many connections it has in the room.
struct Subscriber: Sendable {
    let sink: DeltaSink
    var connections: Int
}

/// How a subscriber is behind that could not take a delta.
enum DeltaGap {
    /// It has been told to give the room up, and has not answered.
    case givesUp
    /// It lacks deltas that came since: clients that have joined there meanwhile may lack them, too.
    case givesUpAndLacksMore
}
