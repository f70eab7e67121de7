import Wire

/// A room on its home shard: its participants, its elements, and the events since the last tick.
///
/// It is deterministic: callers pass the time and random ids. Changes leave it in deltas, which replicas deliver to
/// members. Answers are return values.
package struct Room {
    package let id: String
    /// The id as a JSON string.
    package let idJSON: [UInt8]
    /// A random number of this life of the room. The numbers of the log identify an entry only together with it.
    package let incarnation: UInt64
    /// Grows when a home may have told members changes that are not stored. Elements get versions then that none of these had, so
    /// that a client which names such a version is refused (`Element.countVersion`).
    let era: Int
    let limits: RoomLimits
    /// The room's description for clients: a JSON object.
    package internal(set) var info: [UInt8]

    var slots: [Participant?] = []
    /// The length of all participants in the list for joining clients.
    var participantBytes = 0
    /// Slots without a participant, for the next ones.
    var freeSlots: [Int] = []
    /// The slots of participants in the grace, the longest ago first.
    var slotsInGrace: [Int] = []
    var slotOfPerson: [ExactText: Int] = [:] { didSet { participantCount = slotOfPerson.count } }
    var slotOfConnection: [ConnectionID: Int] = [:]
    var elements = ElementTable() { didSet { elementCount = elements.count } }
    var touches = TouchTable()
    var texts = TextHistory()
    var carets = CaretTable()
    private(set) var seq: UInt64 = 0
    /// Begins at 1: a cursor at 0 has seen no tick.
    private(set) var tick: UInt64 = 1
    /// Entries logged since the last tick.
    private(set) var entries: [LogEntry] = []
    /// A closed room has no participants, and no connection can join it.
    package internal(set) var isClosed = false
    /// Nil while the room is not recorded.
    package internal(set) var recording: RoomRecording?
    /// Entries logged up to the last tick, for clients that come back.
    private(set) var history: RoomLog { didSet { keptLogBytes = history.byteCount } }
    /// The entries of earlier incarnations, the oldest incarnation first.
    private var livesBefore: [(incarnation: UInt64, entries: ClosedRange<UInt64>)] = []
    /// The newest entry of an earlier incarnation that closed the room.
    private var closedBefore: UInt64 = 0
    /// The incarnations that ended with that entry or before it.
    private var closedIncarnations: [UInt64] = []
    private var mustTick = false
    private let keepsRecords: Bool
    // Counts that each tick reads. As stored values they are read without a copy of the room.
    package private(set) var participantCount = 0
    package private(set) var elementCount = 0
    package private(set) var keptLogBytes = 0
    /// Records of entries since the last `takeRecords`, if the caller wants them.
    package private(set) var records: [LogRecord] = []
    /// Notes what is done to the room, if an operator wants it.
    package private(set) var flight: FlightRecorder?

    /// - Parameters:
    ///   - contents: the contents that the room had when it was last in use.
    ///   - keepsRecords: whether the room keeps records for `takeRecords`.
    ///   - now: set when clients of another node may still be in the room: its participants keep their places for the
    ///     grace. Otherwise those of the contents leave.
    package init(
        id: String, incarnation: UInt64 = 0, info: [UInt8], limits: RoomLimits, contents: RoomContents? = nil,
        keepsRecords: Bool = false, seatsPresentAt now: Moment? = nil
    ) {
        self.id = id
        self.incarnation = incarnation
        era = contents?.era ?? 0
        var idJSON: [UInt8] = []
        idJSON.appendJSONString(id.utf8.span)
        self.idJSON = idJSON
        self.info = info
        self.limits = limits
        self.keepsRecords = keepsRecords
        if let contents {
            elements = contents.elements
            elementCount = elements.count
            texts = contents.texts
            seq = contents.seq
        }
        let recent = contents?.recent ?? []
        history = RoomLog(after: recent.first.map { $0.seq - 1 } ?? seq, bytesMax: limits.logBytesMax)
        let present = contents?.present ?? []
        if let now { seat(present, at: now) }
        for entry in recent { take(entry) }
        if now == nil { for person in present { logLeft(person.id) } }
    }

    /// Puts an entry of an earlier incarnation back into the log.
    private mutating func take(_ entry: KeptEntry) {
        let except = entry.except.flatMap { slotOfPerson[ExactText($0)] }
        history.append(entry.logEntry(except: except ?? -1))
        rememberChange(entry)
        if let last = livesBefore.last, last.incarnation == entry.incarnation {
            livesBefore[livesBefore.count - 1].entries = last.entries.lowerBound...entry.seq
        } else {
            livesBefore.append((entry.incarnation, entry.seq...entry.seq))
        }
        guard entry.name == "room:closed" else { return }
        closedBefore = entry.seq
        closedIncarnations = livesBefore.map(\.incarnation)
    }

    /// The contents that must be kept while the room is not in use.
    package var contents: RoomContents {
        var contents = RoomContents(elements: elements, seq: seq, era: era)
        contents.texts = texts
        return contents
    }

    package var connectionCount: Int { slotOfConnection.count }
    /// The number of the newest entry of the log.
    package var lastSeq: UInt64 { seq }
    /// The number of the newest delta.
    package var lastTick: UInt64 { tick }

    package var connections: Set<ConnectionID> { Set(slotOfConnection.keys) }
    /// The ids of all participants, including those in the grace.
    package var people: Set<String> { Set(slots.compactMap { $0?.person.id }) }

    /// Whether a connection is in the room.
    package func contains(_ connection: ConnectionID) -> Bool { slotOfConnection[connection] != nil }

    // MARK: The log

    /// Appends an event to the log. Every member gets it once, in this order.
    ///
    /// - Parameters:
    ///   - edit: the same event in the form for members that take edits, if it is another one: whole frames.
    ///   - effect: the event's effect, for the store.
    mutating func log(
        _ name: StaticString, except: Int = -1, opens: Int = -1, before: [UInt8] = [], edit: [UInt8] = [],
        effect: @autoclosure () -> LogRecord.Effect = .none, _ body: (inout [UInt8]) -> Void
    ) {
        var frames = before
        EventFrame.append(name, to: &frames, body)
        seq += 1
        // Replicas keep the entry for long, so its memory has no spare capacity.
        let exact = frames.withUnsafeBufferPointer { Array($0) }
        entries.append(LogEntry(seq: seq, frames: exact, edit: edit, except: except, opens: opens))
        guard keepsRecords else { return }
        let person = slots.indices.contains(except) ? slots[except]?.person.id : nil
        let argument =
            before.isEmpty
            ? EventFrame.argument(of: name, in: frames) : EventFrame.argument(of: name, in: frames, after: before)
        records.append(
            LogRecord(seq: seq, name: name, argument: argument, except: person, effect: effect()))
    }

    /// The records of entries logged since the last call.
    package mutating func takeRecords() -> [LogRecord] {
        defer { records = [] }
        return records
    }

    /// Whether there is a change for the members.
    package var isDirty: Bool { !entries.isEmpty || touches.isDirty || carets.isDirty || mustTick }

    /// Makes the next tick come, even without a change.
    package mutating func tickAnyway() { mustTick = true }

    /// Ends a tick. Returns the changes since the last tick, or nil without any.
    ///
    /// - Parameter interval: the time in milliseconds until the next tick, if it is known.
    package mutating func takeDelta(interval: Int = 0) -> RoomDelta? {
        guard isDirty else { return nil }
        mustTick = false
        flight?.note(.tick(interval: interval))
        tick += 1
        var frames: [UInt8] = []
        for entry in entries {
            frames.append(contentsOf: entry.frames)
            history.append(entry)
        }
        let logByteCount = frames.count
        let changes = touches.takeChanges(into: &frames)
        let delta = RoomDelta(
            roomJSON: idJSON, tick: tick, entries: entries, endedTouches: changes.ended, touches: changes.touches,
            carets: carets.takeChanges(), frames: frames, logByteCount: logByteCount, isLast: isClosed,
            interval: interval)
        entries = []
        flight?.ticked(delta, self)
        return delta
    }

    /// Whether entry `seq` of an incarnation is the entry that this log has, or had, under this number. A killed server
    /// may have sent entries that it had not stored yet; the log does not know these.
    package func knows(_ seq: UInt64, of incarnation: UInt64) -> Bool {
        incarnation == self.incarnation
            || livesBefore.contains { $0.incarnation == incarnation && $0.entries.contains(seq) }
    }

    /// Whether the log has all entries after entry `seq` of an incarnation.
    package func reaches(_ seq: UInt64, of incarnation: UInt64) -> Bool {
        knows(seq, of: incarnation) && history.reaches(seq)
    }

    /// Whether the room was closed after a client was in one of its incarnations, and was opened again later, as far as
    /// the log reaches back. `seq` is the newest entry that the client has, if it is known. A client whose newest entry
    /// is the closing itself was in the room until then: members of the opened room have later entries.
    package func wasClosed(since incarnation: UInt64, after seq: UInt64?) -> Bool {
        seq.map { closedBefore > 0 && closedBefore >= $0 } ?? closedIncarnations.contains(incarnation)
    }

    /// The entries after `seq`, up to the last tick, for a replica to which a client comes back. Nil when the log does
    /// not reach back so far.
    package func entries(after seq: UInt64) -> [LogEntry]? {
        history.reaches(seq) ? Array(history.entries(after: seq)) : nil
    }

    /// The delta with which a shard begins a replica of this room. There must be no change that waits for the next
    /// tick.
    package func snapshot(interval: Int = 0) -> RoomDelta {
        precondition(!isDirty, "a snapshot stands between two ticks")
        var frames: [UInt8] = []
        let touches = touches.current(into: &frames)
        return RoomDelta(
            roomJSON: idJSON, tick: tick, entries: [], endedTouches: [], touches: touches, carets: carets.current,
            frames: frames, logByteCount: 0, interval: interval)
    }

    // MARK: Touches

    /// Overwrites a participant's position. The spans are checked JSON: two numbers, and a string or nothing.
    ///
    /// - Parameter hint: the slot, if it is known, so that a moving participant need not be looked up.
    package mutating func moveTouch(
        of connection: ConnectionID, slot hint: Int = -1, x: Span<UInt8>, y: Span<UInt8>, elementID: Span<UInt8>
    ) throws(RoomError) {
        flight?.noteMove(of: connection, slot: hint, x: x, y: y, elementID: elementID)
        var slot = hint
        if !touches.isMover(connection, of: hint) {
            slot = try self.slot(of: connection)
            if !touches.isMover(connection, of: slot) { setMover(of: slot, to: connection) }
        }
        touches.move(slot, x: x, y: y, elementID: elementID)
    }

    /// In a cluster, positions of a connection that its user has lost can come later than those of the next one, over another
    /// node. So the touch of a later connection is only hidden by them: it is seen again after the end of that of the earlier one.
    private mutating func setMover(of slot: Int, to connection: ConnectionID) {
        guard let participant = slots[slot] else { return }
        if !touches.isOpen(slot) { touches.open(slot, roomJSON: idJSON, userJSON: participant.idJSON) }
        let later = participant.connections.drop { $0 != connection }.dropFirst()
        touches.setMover(of: slot, to: connection, hiding: later)
    }

    /// The current position of each connection that is touching.
    package var positions: [TouchPosition] { touches.positions }

    /// The current position of a connection, if it is touching and is the one of its participant that is seen.
    package func position(of connection: ConnectionID) -> TouchPosition? {
        slotOfConnection[connection].flatMap(touches.position).flatMap { $0.mover == connection ? $0 : nil }
    }

    /// The current position of a connection that is touching, whether members see it or that of another connection.
    package func touch(of connection: ConnectionID) -> TouchPosition? {
        slotOfConnection[connection].flatMap { touches.touch($0, of: connection) }
    }

    package mutating func endTouch(of connection: ConnectionID) throws(RoomError) {
        flight?.note(.endTouch(connection))
        endTouch(of: connection, slot: try slot(of: connection))
    }

    /// The touch of another connection of the participant goes on.
    mutating func endTouch(of connection: ConnectionID, slot: Int) {
        if let last = touches.end(slot, of: connection) { logTouchEnded(slot, before: last) }
        touches.showHidden(slot)
    }

    /// One entry has the last position and the end of the touch, so members see either both or neither.
    mutating func endTouch(slot: Int) {
        if let last = touches.end(slot) { logTouchEnded(slot, before: last) }
    }

    /// A participant is here again after the room got another home. Members may see a touch that was lost with the home
    /// before.
    ///
    /// - Parameter tellsEnd: false when the touch would be known here: the connection has stayed.
    package mutating func endLostTouch(of connection: ConnectionID, tellsEnd: Bool) {
        flight?.note(.endLostTouch(connection, tellsEnd: tellsEnd))
        guard let slot = slotOfConnection[connection], slots[slot]?.mayHaveLostTouch == true else { return }
        // While another device of the participant may come back, its touch may be the lost one.
        guard tellsEnd || touches.isOpen(slot) else { return }
        endLostTouch(slot: slot)
    }

    mutating func endLostTouch(slot: Int) {
        guard slots[slot]?.mayHaveLostTouch == true else { return }
        slots[slot]?.mayHaveLostTouch = false
        if !touches.isOpen(slot) { logTouchEnded(slot) }
    }

    private mutating func logTouchEnded(_ slot: Int, before last: [UInt8] = []) {
        guard let participant = slots[slot] else { return }
        let idJSON = idJSON
        log("touch:ended", except: slot, before: last) { bytes in
            bytes.append(contentsOf: #"{"roomId":"#.utf8)
            bytes.append(contentsOf: idJSON)
            bytes.append(contentsOf: #","userId":"#.utf8)
            bytes.append(contentsOf: participant.idJSON)
            bytes.append(UInt8(ascii: "}"))
        }
    }

    func slot(of connection: ConnectionID) throws(RoomError) -> Int {
        guard let slot = slotOfConnection[connection] else {
            throw RoomError(.forbidden, "You have not joined this room.")
        }
        return slot
    }
}

// MARK: - As the beginning of a flight

extension Room: Recordable {
    /// Begins to note what is done to the room.
    package mutating func begin(_ flight: FlightRecorder) {
        self.flight = flight
        flight.begin(self)
    }

    /// Writes everything on which later deltas depend. No position and no caret may wait for the next tick.
    package func write(to record: inout RecordWriter) {
        precondition(!touches.isDirty && !carets.isDirty, "a flight begins after a tick")
        record.put(id)
        record.put(incarnation)
        record.put(era)
        record.put(info)
        record.put(limits)
        record.put(seq)
        record.put(tick)
        record.put(isClosed)
        record.put(entries)
        record.put(slots) { participant, record in record.put(participant) { $1.put($0) } }
        record.put(freeSlots) { $1.put($0) }
        record.put(slotsInGrace) { $1.put($0) }
        record.put(elements)
        record.put(touches)
        record.put(texts)
        record.put(carets)
        record.put(recording) { $1.put($0) }
    }

    /// A room that makes the same deltas. It has neither the log before nor records for the store.
    package init(from record: inout RecordReader) throws(RecordFault) {
        let (id, incarnation) = (try record.string(), try record.number())
        let life = RoomContents(elements: ElementTable(), seq: 0, era: try record.int())
        self.init(
            id: id, incarnation: incarnation, info: try record.blob(), limits: try record.value(), contents: life)
        (seq, tick, isClosed) = (try record.number(), try record.number(), try record.bool())
        entries = try record.values()
        guard UInt64(entries.count) <= seq else { throw RecordFault() }
        history = RoomLog(after: seq - UInt64(entries.count), bytesMax: limits.logBytesMax)
        slots = try record.list { record throws(RecordFault) in
            try record.optional { record throws(RecordFault) in try Participant(from: &record) }
        }
        let slotCount = slots.count
        freeSlots = try record.list { record throws(RecordFault) in try record.int(upTo: slotCount) }
        slotsInGrace = try record.list { record throws(RecordFault) in try record.int(upTo: slotCount) }
        for participant in slots.compactMap({ $0 }) {
            participantBytes += participant.listedByteCount(roomJSON: idJSON)
            slotOfPerson[ExactText(participant.person.id)] = participant.slot
            for connection in participant.connections { slotOfConnection[connection] = participant.slot }
        }
        elements = try record.value()
        touches = try record.value()
        texts = try record.value()
        carets = try record.value()
        recording = try record.optional { record throws(RecordFault) in try RoomRecording(from: &record) }
        (participantCount, elementCount) = (slotOfPerson.count, elements.count)
    }
}
