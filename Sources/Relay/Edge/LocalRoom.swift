import Rooms
import Sessions
import Transport
import Wire

/// A room on one shard: its replica, and the clients of this shard who are its members.
final class LocalRoom {
    let id: RoomID
    let idJSON: [UInt8]
    /// The shard that orders this room.
    let home: Int
    /// Whether the room takes touches.
    let gate: RoomGate
    /// The room itself, if that is this shard: while somebody is in it there is no other of its name.
    var homeRoom: HomeRoom?
    private let replica: RoomReplica
    private var timing: TouchTiming
    /// What members of this shard have moved, of a room of another, and has not gone there yet.
    private var touches: TouchParcel
    /// In the order of the replica's members.
    private var clients: [RelayClient] = []
    /// Theirs: a tick goes to each without a look at its client.
    private var sessions: [any RelaySession] = []
    private var scratch: [UInt8] = []
    private let counters: RelayCounters
    private let loop: any RelayLoop
    private var countedLogBytes = 0
    private static let portionBytesMax = 64 << 10

    init(_ id: RoomID, home: Int, _ answer: EntryAnswer, limits: RoomLimits, _ context: RelayContext) {
        self.id = id
        counters = context.counters
        loop = context.loop
        self.home = home
        gate = answer.gate
        timing = TouchTiming(isElsewhere: answer.isElsewhere)
        touches = TouchParcel(id)
        idJSON = answer.idJSON
        replica = RoomReplica(
            answer.snapshot, seq: answer.seq, logBytesMax: limits.logBytesMax, incarnation: answer.incarnation)
    }

    deinit {
        counters.totals.logBytes -= countedLogBytes
        counters.totals.memberships -= clients.count
    }

    var incarnation: UInt64 { replica.incarnation }
    var isEmpty: Bool { clients.isEmpty }
    var members: [RelayClient] { clients }
    /// Whether the room has been closed: who has been sent all is done with it.
    var isOver: Bool { replica.isOver }
    var lastSeq: UInt64 { replica.lastSeq }
    /// The argument of the `room:closed` that closed it.
    private(set) var closing: [UInt8] = []

    func lag(of client: RelayClient) -> (ticks: UInt64, entries: UInt64) {
        replica.index(of: client.id).map { replica.lag($0) } ?? (0, 0)
    }

    /// Whether a client has been sent all that there is, or is no member.
    func hasAll(_ client: RelayClient) -> Bool {
        replica.index(of: client.id).map { replica.hasAll($0) } ?? true
    }

    /// Lets a client begin with the state as it is now, which it is told later: `release`.
    func add(_ client: RelayClient, slot: Int) {
        let isNew = replica.index(of: client.id) == nil
        replica.add(client.id, slot: slot, form: client.form, isHeld: true)
        if isNew { append(client) }
    }

    /// Whether a client has not been told the state yet with which it was added.
    func isHeld(_ client: RelayClient) -> Bool { replica.index(of: client.id).map { replica.isHeld($0) } ?? false }

    /// The newest entry that a client has been sent; nil for a client that is no member.
    func seq(of client: RelayClient) -> UInt64? { replica.index(of: client.id).map { replica.seq($0) } }

    /// The client is being told the state with which it was added. Answers false when it needs a newer one.
    func release(_ client: RelayClient) -> Bool { replica.release(client.id) }

    /// Lets a client go on after the entry `seq`. `missed` is the log from there on. Answers false when that is not to
    /// be had any more.
    func resume(_ client: RelayClient, slot: Int, after seq: UInt64, _ missed: [LogEntry]) -> Bool {
        let isNew = replica.index(of: client.id) == nil
        replica.extendBack(missed)
        let isBack = replica.resume(client.id, slot: slot, seq: seq, form: client.form)
        if isNew, isBack { append(client) }
        return isBack
    }

    private func append(_ client: RelayClient) {
        clients.append(client)
        sessions.append(client.session)
        counters.totals.memberships += 1
    }

    func remove(_ client: RelayClient) {
        guard let index = replica.index(of: client.id) else { return }
        replica.remove(client.id)
        counters.totals.memberships -= 1
        // As the replica does: the last takes the place that became free.
        let (last, session) = (clients.removeLast(), sessions.removeLast())
        if index < clients.count { (clients[index], sessions[index]) = (last, session) }
    }

    /// Returns what the client is told of the room then; nil for a client that is no member.
    func setView(of client: RelayClient, _ area: ViewArea) -> ViewArea? {
        replica.index(of: client.id).map { replica.setView($0, area) }
    }

    // MARK: Touches

    /// Answers whether it is the first since they were last taken.
    func gather(
        of connection: ConnectionID, slot: Int, x: Span<UInt8>, y: Span<UInt8>, elementID: Span<UInt8>
    ) -> Bool {
        defer { touches.append(of: connection, slot: slot, x: x, y: y, elementID: elementID) }
        return touches.isEmpty
    }

    /// When touches that are gathered from now on have to be sent.
    func touchesDue(interval: Int64) -> Int64 { timing.due(interval: interval) }

    func takeTouches(at now: Int64) -> TouchParcel {
        timing.sentAt = now
        return touches.take()
    }

    /// The home could not take them: of each who has moved, the newest position goes with the next.
    func putBack(_ parcel: TouchParcel) {
        var all = parcel.newest(before: touches)
        all.append(touches)
        touches = all
    }

    // MARK: Ticks

    /// Takes in what has happened and sends it to all members that can take it now. Answers false when something that
    /// happened before has not come here.
    func apply(_ delta: RoomDelta, at now: Int64) -> Bool {
        guard delta.tick > replica.lastTick else { return true }
        guard delta.tick == replica.lastTick + 1, delta.entries.first.map({ $0.seq == replica.lastSeq + 1 }) ?? true
        else { return false }
        timing.tickedAt = now
        replica.apply(delta)
        if delta.isLast { closing = delta.entries.last?.argument ?? [] }
        var told = Told()
        let forms = replica.forms
        forms.bytes.withUnsafeBytes { bytes in
            // A member whose connection fails on the way is taken out at once, and the last one, which has its share
            // already, takes its place.
            for index in stride(from: clients.count - 1, through: 0, by: -1)
            where !sendNewest(forms, bytes, index, &told) {
                deliver(index)
            }
        }
        count(told)
        counters.totals.logBytes += replica.keptLogBytes - countedLogBytes
        countedLogBytes = replica.keptLogBytes
        return true
    }

    /// How many members were written the newest delta, and how many of its positions were their own.
    private struct Told {
        var members = 0
        var own = 0

        mutating func add(_ share: DeltaShare) {
            members &+= 1
            if share.leavesOutOwn { own &+= 1 }
        }
    }

    private func count(_ told: Told) {
        counters.totals.updates &+= told.members
        counters.totals.touchesSent &+= told.members * replica.newestTouchCount - told.own
    }

    /// The usual case: the member lacks just the newest delta and can take it now. Answers false in any other case.
    private func sendNewest(
        _ forms: DeltaForms, _ bytes: UnsafeRawBufferPointer, _ index: Int, _ told: inout Told
    ) -> Bool {
        guard index < sessions.count else { return true }
        let session = sessions[index]
        // What waits goes out first, which can take members out of the room.
        guard session.makeReadyForFrames(), index < sessions.count, sessions[index] === session,
            let share = replica.newest(index), !share.isOfPackets
        else { return index >= sessions.count }
        told.add(share)
        write(forms.pieces(of: share), of: bytes, index, session)
        return true
    }

    /// Writes a member the newest delta, which is all that it lacks.
    private func write(
        _ pieces: DeltaPieces, of bytes: UnsafeRawBufferPointer, _ index: Int, _ session: any RelaySession
    ) {
        if replica.newestHasEntries { noteNewest(index) }
        let memory = pieces.memory(of: bytes)
        if session.writeFrames(memory.span.extracting(first: pieces.count)) != .closed { replica.advance(index) }
    }

    /// The member is about to be written the newest delta's entries.
    private func noteNewest(_ index: Int) {
        clients[index].writes(self, after: replica.seq(index), upTo: replica.lastSeq)
    }

    /// Brings one member up to date, who has just joined or was blocked before.
    func deliver(to client: RelayClient) {
        if let index = replica.index(of: client.id) { deliver(index) }
    }

    private func deliver(_ index: Int) {
        let client = clients[index]
        let session = client.session
        // This can bring us here again for the same member, which then has all it needs, or take the member out.
        var isReady = session.makeReadyForFrames()
        guard index < clients.count, clients[index] === client, isReady || session.isWritable else { return }
        if client.form.contains(.packets) { isReady = false }
        switch replica.due(index) {
        case .nothing: return
        case .lost: resync(index)
        case .newest(let share):
            var told = Told()
            told.add(share)
            count(told)
            let forms = replica.forms
            if isReady {
                forms.bytes.withUnsafeBytes { write(forms.pieces(of: share), of: $0, index, session) }
            } else {
                sendPackets(forms.pieces(of: share), of: forms.bytes, index, session)
            }
        case .more:
            if isReady { catchUp(index, session) } else { catchUpInPackets(index, session) }
        }
    }

    /// Sends a member that is behind what it lacks, in portions, as far as it takes them.
    private func catchUp(_ index: Int, _ session: any RelaySession) {
        let client = clients[index]
        let fed = replica.touchesFed
        if replica.isBehind(index) { counters.totals.catchUps &+= 1 } else { counters.totals.updates &+= 1 }
        defer {
            counters.totals.touchesSent &+= replica.touchesFed - fed
        }
        var hasAll = false
        while !hasAll {
            scratch.removeAll(keepingCapacity: true)
            let seq = replica.seq(index)
            hasAll = replica.feed(index, into: &scratch, bytesMax: Self.portionBytesMax)
            client.writes(self, after: seq, upTo: replica.seq(index))
            if scratch.isEmpty { continue }
            guard session.writeFrames(scratch) == .sent else { return }
        }
    }

    /// A client that polls, or whose version has another form of binary messages, gets frames as packets of its session.
    private func sendPackets(_ pieces: DeltaPieces, of bytes: [UInt8], _ index: Int, _ session: any RelaySession) {
        var frames: [UInt8] = []
        for piece in 0..<pieces.count { frames.append(contentsOf: bytes[pieces[piece]]) }
        if replica.newestHasEntries { noteNewest(index) }
        replica.advance(index)
        send(frames, session)
    }

    private func catchUpInPackets(_ index: Int, _ session: any RelaySession) {
        var frames: [UInt8] = []
        let (seq, fed) = (replica.seq(index), replica.touchesFed)
        _ = replica.feed(index, into: &frames, bytesMax: Self.portionBytesMax)
        counters.totals.updates &+= 1
        counters.totals.touchesSent &+= replica.touchesFed - fed
        clients[index].writes(self, after: seq, upTo: replica.seq(index))
        send(frames, session)
    }

    private func send(_ frames: [UInt8], _ session: any RelaySession) {
        for message in FrameMessages(frames) {
            session.send(Array(frames[message.content]), isBinary: message.isBinary)
        }
    }

    /// The log does not reach back to this member any more: it has to come back and join again.
    private func resync(_ index: Int) {
        let session = clients[index].session
        counters.totals.lostMembers += 1
        loop.atTurnEnd { session.close(.slowReader) }
    }
}
