/// A room as one shard has it: the members on this shard, each a cursor, and what it takes to bring them up to date.
///
/// Members that keep up get the newest delta in their form, encoded once for all members of that form, without their own
/// position. A member that is behind gets the entries of the log since its cursor and the newest position of each
/// participant. Nothing is kept for it.
package final class RoomReplica {
    package struct Member: Sendable {
        package let connection: ConnectionID
        package let slot: Int
        package let form: DeliveryForm
        /// The newest entry of the log that it has been sent.
        package fileprivate(set) var seq: UInt64
        /// The newest delta that it has been sent; 0 before the first.
        package fileprivate(set) var tick: UInt64 = 0
        /// Whether it has joined and waits for the room's state, ahead of which it is sent nothing.
        package fileprivate(set) var isHeld = false
        /// The number of its view, or -1. A member with a view has the tick 0 here, so it is never taken for one that
        /// keeps up with the whole room.
        fileprivate(set) var view: Int32 = -1

        fileprivate mutating func move(to seq: UInt64, _ tick: UInt64) {
            self.seq = seq
            self.tick = tick
        }
    }

    private var log: RoomLog
    /// By slot; each member's is there.
    private(set) var rows: [ReplicaRow] = []
    private var delta: RoomDelta
    private(set) var tick: UInt64
    private var seq: UInt64
    /// The newest entry before the newest delta.
    private var seqBefore: UInt64
    /// The newest delta, at first the snapshot, as members get it.
    package var forms: DeltaForms { encoded }
    private var encoded = DeltaForms()
    private var batchMemberCount = 0
    /// How many members take each form of the log, by `DeliveryForm.logIndex`.
    private var logMemberCounts = InlineArray<4, Int>(repeating: 0)
    /// Binary ticks in the precisions that members have.
    private(set) var streams: [TickStream] = []
    var views = ReplicaViews()
    private(set) var carets: [Int: CaretRow] = [:]
    /// The newest delta with carets.
    private(set) var caretAt: UInt64 = 0
    /// Positions that went to members who were behind, since the replica was made.
    package private(set) var touchesFed = 0
    package let incarnation: UInt64
    private let offsetTail: [UInt8]
    private(set) var members: [Member] = []
    private var indexOfConnection: [ConnectionID: Int] = [:]

    /// Begins with a snapshot, at the log's entry `seq`.
    package init(_ snapshot: RoomDelta, seq: UInt64, logBytesMax: Int, incarnation: UInt64 = 0) {
        self.incarnation = incarnation
        offsetTail = LogOffset.tail(incarnation)
        log = RoomLog(after: seq, bytesMax: logBytesMax)
        self.seq = seq
        seqBefore = seq
        delta = snapshot
        tick = snapshot.tick
        storeTouches(of: snapshot)
        encodeForms()
    }

    var roomJSON: [UInt8] { delta.roomJSON }
    var interval: Int { delta.interval }
    package var lastSeq: UInt64 { seq }
    package var lastTick: UInt64 { tick }
    package var newestTouchCount: Int { delta.touches.count }
    /// Whether the newest delta has entries of the log.
    package var newestHasEntries: Bool { seq != seqBefore }
    package var keptLogBytes: Int { log.byteCount }
    package var keptLogEntries: Int { log.count }
    /// Whether the room has been closed: no delta follows.
    package var isOver: Bool { delta.isLast }

    // MARK: Members

    /// Adds a member that has everything up to now, except the positions of those who are touching. One that is there
    /// already begins anew: it is being told the whole state again.
    ///
    /// - Parameter isHeld: whether the state goes out later: until `release` the member is sent nothing else.
    @discardableResult
    package func add(
        _ connection: ConnectionID, slot: Int, form: DeliveryForm = [], isHeld: Bool = false
    ) -> Int {
        if let index = indexOfConnection[connection] {
            members[index].move(to: seq, 0)
            if members[index].view >= 0 { views.advance(Int(members[index].view), to: 0) }
            members[index].isHeld = isHeld
            return index
        }
        openRow(slot)
        members.append(Member(connection: connection, slot: slot, form: form, seq: seq, isHeld: isHeld))
        indexOfConnection[connection] = members.count - 1
        count(members[members.count - 1], 1)
        return members.count - 1
    }

    /// A member that was held is being told the state of when it was added; what the room has logged since follows.
    ///
    /// - Returns: false when the log does not reach back to that state: the member needs a newer one.
    package func release(_ connection: ConnectionID) -> Bool {
        guard let index = indexOfConnection[connection] else { return false }
        members[index].isHeld = false
        return log.reaches(members[index].seq)
    }

    /// Adds a member that comes back with the log's entry `seq` as the last it has. Answers false when the log does not
    /// reach back so far. Entries that it did not get because they were its person's own count as had only if the person
    /// has not left the room meanwhile.
    package func resume(
        _ connection: ConnectionID, slot: Int, seq: UInt64, form: DeliveryForm = []
    ) -> Bool {
        guard log.reaches(seq) else { return false }
        // One that is here already has its cursor.
        guard indexOfConnection[connection] == nil else { return true }
        let index = add(connection, slot: slot, form: form)
        members[index].seq = seq
        return true
    }

    /// Takes in older entries, from `Room.entries(after:)`, so that a member can resume here that was elsewhere before.
    package func extendBack(_ entries: [LogEntry]) {
        log.extendBack(entries)
        // Entries of this replica's own time came in `apply`.
        for entry in entries where entry.opens >= 0 {
            openRow(entry.opens)
            rows[entry.opens].since = max(rows[entry.opens].since, entry.seq)
        }
    }

    package func remove(_ connection: ConnectionID) {
        guard let index = indexOfConnection.removeValue(forKey: connection) else { return }
        count(members[index], -1)
        if members[index].view >= 0 { views.remove(Int(members[index].view)) }
        let last = members.removeLast()
        if last.connection != connection {
            members[index] = last
            indexOfConnection[last.connection] = index
        }
    }

    /// Counts a member that comes or goes.
    func count(_ member: Member, _ change: Int) {
        let (form, hasView) = (member.form, member.view >= 0)
        if form.contains(.batches), !hasView { batchMemberCount += change }
        logMemberCounts[form.logIndex] += change
        if form.contains(.ticks) { countInStream(form.decimals, change, hasView: hasView) }
    }

    /// A member has another view.
    func noteView(_ index: Int, _ number: Int) {
        members[index].view = Int32(number)
        members[index].tick = 0
    }

    /// The newest delta that a member has been sent; 0 before the first.
    func tick(of member: Member) -> UInt64 {
        member.view < 0 ? member.tick : views[Int(member.view)]?.tick ?? 0
    }

    /// Whether a member takes the log in this form.
    private func hasMember(_ form: DeliveryForm) -> Bool { logMemberCounts[form.logIndex] > 0 }

    private func countInStream(_ decimals: Int, _ change: Int, hasView: Bool) {
        let index = streams.firstIndex { $0.decimals == decimals } ?? beginStream(decimals)
        streams[index].memberCount += change
        if hasView { streams[index].viewCount += change }
        if streams[index].memberCount == 0 { streams.remove(at: index) }
    }

    /// The first member with this precision has come.
    private func beginStream(_ decimals: Int) -> Int {
        streams.append(TickStream(decimals: decimals, roomJSON: delta.roomJSON))
        move(in: streams.count - 1, after: 0)
        return streams.count - 1
    }

    /// Notes in a stream the positions that came after a tick.
    private func move(in stream: Int, after tick: UInt64) {
        streams[stream].begin()
        for slot in rows.indices where rows[slot].touchedAt > tick { rows[slot].move(slot, in: &streams[stream]) }
    }

    /// Whether a member waits for the room's state.
    package func isHeld(_ index: Int) -> Bool { members[index].isHeld }

    /// The newest entry of the log that a member has been sent.
    package func seq(_ index: Int) -> UInt64 { members[index].seq }

    package func index(of connection: ConnectionID) -> Int? { indexOfConnection[connection] }

    private func openRow(_ slot: Int) {
        while rows.count <= slot { rows.append(ReplicaRow()) }
    }

    // MARK: Deltas

    /// Takes in what has happened. Every delta of the room comes here, in order.
    package func apply(_ delta: RoomDelta) {
        precondition(delta.tick == tick + 1, "a delta is missing")
        self.delta = delta
        tick = delta.tick
        seqBefore = seq
        for entry in delta.entries { append(entry) }
        for slot in delta.endedTouches where slot < rows.count { end(slot) }
        storeTouches(of: delta)
        moveInGrids(delta)
        encodeForms()
    }

    private func encodeForms() {
        let hasEntries = delta.logByteCount > 0
        let hasEdits = hasEntries && delta.entries.contains { !$0.edit.isEmpty }
        let hasEditors = hasMember(.edits) || hasMember([.offsets, .edits])
        let encodesOffsets = hasEntries && (hasMember(.offsets) || hasMember([.offsets, .edits]))
        let encodesEdits = hasEdits && hasEditors
        let encodesBatch = batchMemberCount > 0 && !delta.touches.isEmpty
        let encodesTicks = !streams.isEmpty && !delta.touches.isEmpty
        let encodesCarets = hasEditors && !delta.carets.isEmpty
        encoded.begin(
            delta, isAll: !encodesOffsets && !encodesEdits && !encodesBatch && !encodesTicks && !encodesCarets)
        if encodesOffsets { encoded.encodeLog(delta.entries, .offsets, tail: offsetTail) }
        if encodesEdits {
            for form: DeliveryForm in [.edits, [.offsets, .edits]] where hasMember(form) {
                encoded.encodeLog(delta.entries, form, tail: offsetTail)
            }
        }
        if encodesBatch { encoded.encodeBatch { appendBatch(after: tick - 1, to: &$0) } }
        if encodesTicks { for stream in streams.indices { encodeTick(of: stream) } }
        if encodesCarets { encoded.encodeCarets(delta.carets.flatMap(\.frame)) }
    }

    private func encodeTick(of stream: Int) {
        move(in: stream, after: tick - 1)
        guard streams[stream].memberCount > streams[stream].viewCount else { return }
        encoded.encodeTick(decimals: streams[stream].decimals) {
            streams[stream].appendNewest(tick, interval: delta.interval, to: &$0)
        }
    }

    private func end(_ slot: Int) {
        rows[slot].touchedAt = 0
        for stream in streams.indices { streams[stream].end(slot) }
    }

    private func append(_ entry: LogEntry) {
        log.append(entry)
        seq = entry.seq
        if entry.except >= 0 {
            openRow(entry.except)
            rows[entry.except].exceptedAt = tick
        }
        if entry.opens >= 0 {
            openRow(entry.opens)
            rows[entry.opens].since = entry.seq
        }
    }

    private func storeTouches(of delta: RoomDelta) {
        if !delta.carets.isEmpty { caretAt = delta.tick }
        for caret in delta.carets { carets[caret.slot] = CaretRow(caret, at: delta.tick) }
        delta.frames.withUnsafeBytes { frames in
            for touch in delta.touches {
                openRow(touch.slot)
                rows[touch.slot].store(touch, of: frames, at: delta.tick)
            }
        }
        for slot in delta.away where slot < rows.count { rows[slot].isAway = true }
    }

    // MARK: Delivery

    /// Whether a member has been sent all that there is.
    package func hasAll(_ index: Int) -> Bool {
        isTold(members[index]) && tick(of: members[index]) == tick && members[index].seq == seq
    }

    /// Whether a member has been told of its view, if it has one.
    private func isTold(_ member: Member) -> Bool { member.view < 0 || views[Int(member.view)]?.isTold != false }

    /// How far a member is behind the newest.
    package func lag(_ index: Int) -> (ticks: UInt64, entries: UInt64) {
        let (member, told) = (members[index], tick(of: members[index]))
        // Before its first tick a member has the state that it was told.
        return (told == 0 ? 0 : tick - told, seq - member.seq)
    }

    /// Whether a member did not get the newest delta's forerunner either; who has just joined counts as not.
    package func isBehind(_ index: Int) -> Bool {
        let (member, told) = (members[index], tick(of: members[index]))
        return told > 0 && (told + 1 < tick || member.seq < seqBefore)
    }

    /// What a member is to be sent.
    package enum Due {
        case nothing
        /// Of the newest delta, `forms`, this share.
        case newest(DeltaShare)
        /// It is behind: `feed` gives the bytes.
        case more
        /// The log does not reach back to it any more: it must resync.
        case lost
    }

    package func due(_ index: Int) -> Due {
        let member = members[index]
        if member.isHeld || hasAll(index) { return .nothing }
        if let newest = newest(index) { return .newest(newest) }
        return log.reaches(member.seq) ? .more : .lost
    }

    /// What a member gets that lacks just the newest delta, as most do. Nil when `due` has to be asked.
    package func newest(_ index: Int) -> DeltaShare? {
        let member = members[index]
        guard keepsUp(member) else { return nil }
        return DeltaShare(form: member.form, own: rows[member.slot].own(at: tick))
    }

    /// Whether the newest delta is all that a member lacks, and it may have all of it but its own touch. One that is held
    /// never keeps up: it is at the tick 0, and the first delta is the second. Neither does one with a view: after a move of the
    /// home the first delta may be the first.
    private func keepsUp(_ member: Member) -> Bool {
        member.tick + 1 == tick && member.seq == seqBefore && member.view < 0 && rows[member.slot].exceptedAt != tick
    }

    /// The member has been sent all that was due.
    package func advance(_ index: Int) {
        members[index].move(to: seq, tick)
    }

    /// Appends what a member that is behind has to be sent: the log first, then positions. May be nothing.
    ///
    /// It comes in portions, so that little is kept for a connection that takes little: the log ends with the entry that
    /// reaches `bytesMax`, and positions come only after the whole log. Each call makes headway.
    ///
    /// - Returns: whether the member has all now.
    package func feed(_ index: Int, into bytes: inout [UInt8], bytesMax: Int) -> Bool {
        let member = members[index]
        let start = bytes.count
        // Members with a view that keep up get the bytes that all others get. One that has just come may take another form than
        // those for whom the delta was encoded.
        if member.view >= 0, tick(of: member) > 0, member.seq == seqBefore, rows[member.slot].exceptedAt != tick {
            encoded.appendLog(member.form, to: &bytes)
            members[index].seq = seq
        }
        for entry in log.entries(after: members[index].seq) {
            if isFor(member, entry) { append(entry, for: member, to: &bytes) }
            members[index].seq = entry.seq
            if bytes.count - start >= bytesMax, entry.seq < seq { return false }
        }
        if bytes.count > start, bytes.count - start >= bytesMax, !isTold(member) || tick(of: member) < tick {
            return false
        }
        appendTouches(for: member, to: &bytes)
        if member.view < 0 { advance(index) } else { views.advance(Int(member.view), to: tick) }
        return true
    }

    /// An exception holds for the participant of its time, not for who has the slot later.
    private func isFor(_ member: Member, _ entry: LogEntry) -> Bool {
        entry.except != member.slot || entry.seq < rows[member.slot].since
    }

    private func append(_ entry: LogEntry, for member: Member, to bytes: inout [UInt8]) {
        EventFrame.append(entry, member.form, offsetTail: offsetTail, to: &bytes)
    }

    private func appendTouches(for member: Member, to bytes: inout [UInt8]) {
        if member.form.contains(.edits) { appendCarets(after: tick(of: member), to: &bytes) }
        if member.view >= 0 {
            if tick(of: member) < tick || !isTold(member) {
                touchesFed &+= appendView(Int(member.view), of: member, to: &bytes)
            }
            return
        }
        if member.form.hasOwnTouch {
            if member.form.contains(.ticks) {
                appendTick(member.form.decimals, after: member.tick, to: &bytes)
            } else {
                appendBatch(after: member.tick, to: &bytes)
            }
            touchesFed &+= rows.count { $0.touchedAt > member.tick }
            return
        }
        for slot in rows.indices where rows[slot].touchedAt > member.tick && slot != member.slot {
            rows[slot].append(to: &bytes)
            touchesFed &+= 1
        }
    }
}
