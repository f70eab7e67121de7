import Wire

/// A room as its home shard has it: who is in it, what is on its canvas, and what has happened since the last tick.
///
/// Deterministic: the time and the random ids are given to it. What it decides goes out in deltas, which replicas
/// deliver; what it answers goes back to who asked.
package struct Room {
    package let id: String
    /// The id as a JSON string.
    package let idJSON: [UInt8]
    /// Tells this room from others of its id that were there before it, or will be: a number of the log means an entry
    /// of one of them alone.
    package let incarnation: UInt64
    let limits: RoomLimits
    /// The room as clients are shown it: a JSON object.
    package internal(set) var info: [UInt8]

    var slots: [Participant?] = []
    /// How long all participants are as a joiner gets them.
    var participantBytes = 0
    /// Slots that nobody has, to be given to those who come next.
    var freeSlots: [Int] = []
    /// Those of people whose connections are all lost, the longest ago first.
    var slotsInGrace: [Int] = []
    var slotOfPerson: [ExactText: Int] = [:]
    var slotOfConnection: [ConnectionID: Int] = [:]
    var elements = ElementTable()
    var touches = TouchTable()
    private(set) var seq: UInt64 = 0
    /// Begins at 1: a cursor at 0 has seen none.
    private(set) var tick: UInt64 = 1
    /// What has been logged since the last tick.
    private(set) var entries: [LogEntry] = []
    /// Nobody is in a closed room, and nobody comes in.
    package internal(set) var isClosed = false
    /// What was logged until the last tick, for those who come back.
    private(set) var history: RoomLog
    /// Which entries are of incarnations before this one, the oldest first.
    private var livesBefore: [(incarnation: UInt64, entries: ClosedRange<UInt64>)] = []
    /// The newest entry that closed the room, of those that are kept of incarnations before.
    private var closedBefore: UInt64 = 0
    /// The incarnations that had ended, or did, with that entry.
    private var closedIncarnations: [UInt64] = []
    private let keepsRecords: Bool
    /// What has been logged since it was last taken, if that is asked for.
    package private(set) var records: [LogRecord] = []

    /// - Parameters:
    ///   - contents: what was left when the room was last in use.
    ///   - keepsRecords: whether what is logged is to be taken with `takeRecords`.
    package init(
        id: String, incarnation: UInt64 = 0, info: [UInt8], limits: RoomLimits, contents: RoomContents? = nil,
        keepsRecords: Bool = false
    ) {
        self.id = id
        self.incarnation = incarnation
        var idJSON: [UInt8] = []
        idJSON.appendJSONString(id.utf8.span)
        self.idJSON = idJSON
        self.info = info
        self.limits = limits
        self.keepsRecords = keepsRecords
        if let contents {
            elements = contents.elements
            seq = contents.seq
        }
        let recent = contents?.recent ?? []
        history = RoomLog(after: recent.first.map { $0.seq - 1 } ?? seq, bytesMax: limits.logBytesMax)
        for entry in recent { take(entry) }
        for person in contents?.present ?? [] { logLeft(person) }
    }

    /// Takes an entry back into the log that was there before this incarnation.
    private mutating func take(_ entry: KeptEntry) {
        history.append(entry.logEntry)
        if let last = livesBefore.last, last.incarnation == entry.incarnation {
            livesBefore[livesBefore.count - 1].entries = last.entries.lowerBound...entry.seq
        } else {
            livesBefore.append((entry.incarnation, entry.seq...entry.seq))
        }
        guard entry.name == "room:closed" else { return }
        closedBefore = entry.seq
        closedIncarnations = livesBefore.map(\.incarnation)
    }

    /// What has to be kept of the room when it is not in use.
    package var contents: RoomContents { RoomContents(elements: elements, seq: seq) }

    package var participantCount: Int { slotOfPerson.count }
    package var connectionCount: Int { slotOfConnection.count }
    package var elementCount: Int { elements.count }
    package var keptLogBytes: Int { history.byteCount }
    /// The number of the newest entry of the log.
    package var lastSeq: UInt64 { seq }
    /// The number of the newest delta.
    package var lastTick: UInt64 { tick }

    package var connections: Set<ConnectionID> { Set(slotOfConnection.keys) }
    /// The ids of the people in the room, also of those whose connections are all lost.
    package var people: Set<String> { Set(slots.compactMap { $0?.person.id }) }

    /// Whether a connection is in the room.
    package func contains(_ connection: ConnectionID) -> Bool { slotOfConnection[connection] != nil }

    // MARK: The log

    /// Appends an event to the log: all members see it once, in this place.
    ///
    /// - Parameter effect: what it does, for those who keep it.
    mutating func log(
        _ name: StaticString, except: Int = -1, opens: Int = -1, before: [UInt8] = [],
        effect: @autoclosure () -> LogRecord.Effect = .none, _ body: (inout [UInt8]) -> Void
    ) {
        var frames = before
        EventFrame.append(name, to: &frames, body)
        seq += 1
        // Replicas keep the entry for long, so it takes no more memory than it needs.
        let exact = frames.withUnsafeBufferPointer { Array($0) }
        entries.append(LogEntry(seq: seq, frames: exact, except: except, opens: opens))
        guard keepsRecords else { return }
        let person = slots.indices.contains(except) ? slots[except]?.person.id : nil
        records.append(
            LogRecord(
                seq: seq, name: name, argument: EventFrame.argument(of: name, in: frames), except: person,
                effect: effect()))
    }

    /// What has been logged since the last call.
    package mutating func takeRecords() -> [LogRecord] {
        defer { records = [] }
        return records
    }

    /// Whether there is something to tell the members.
    package var isDirty: Bool { !entries.isEmpty || touches.isDirty }

    /// Ends a tick: what has happened since the last, or nil when nothing has.
    package mutating func takeDelta() -> RoomDelta? {
        guard isDirty else { return nil }
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
            frames: frames, logByteCount: logByteCount, isLast: isClosed)
        entries = []
        return delta
    }

    /// Whether an incarnation's entry `seq` is the one that this log has, or had, under this number. What a server had
    /// told before it was killed and had not stored yet is none of the log's.
    package func knows(_ seq: UInt64, of incarnation: UInt64) -> Bool {
        incarnation == self.incarnation
            || livesBefore.contains { $0.incarnation == incarnation && $0.entries.contains(seq) }
    }

    /// Whether the log has all that was logged after an incarnation's entry `seq`.
    package func reaches(_ seq: UInt64, of incarnation: UInt64) -> Bool {
        knows(seq, of: incarnation) && history.reaches(seq)
    }

    /// Whether the room was closed since a client was in an incarnation of it, as far as the log reaches back, and came into
    /// use again. `seq` is the newest entry that the client has, if that is known.
    package func wasClosed(since incarnation: UInt64, after seq: UInt64?) -> Bool {
        seq.map { closedBefore > $0 } ?? closedIncarnations.contains(incarnation)
    }

    /// What was logged after `seq`, until the last tick: for a replica on whose shard somebody resumes. Nil when the log
    /// does not reach back so far.
    package func entries(after seq: UInt64) -> [LogEntry]? {
        history.reaches(seq) ? Array(history.entries(after: seq)) : nil
    }

    /// What a shard needs to begin with a replica of this room. Nothing may be waiting for the next tick.
    package func snapshot() -> RoomDelta {
        precondition(!isDirty, "a snapshot stands between two ticks")
        var frames: [UInt8] = []
        let touches = touches.current(into: &frames)
        return RoomDelta(
            roomJSON: idJSON, tick: tick, entries: [], endedTouches: [], touches: touches, frames: frames,
            logByteCount: 0)
    }

    // MARK: Touches

    /// Overwrites a member's position. The spans are checked JSON: two numbers, and a string or nothing.
    ///
    /// - Parameter hint: the slot, where it is known: whoever goes on moving need not be looked up.
    package mutating func moveTouch(
        of connection: ConnectionID, slot hint: Int = -1, x: Span<UInt8>, y: Span<UInt8>, elementID: Span<UInt8>
    ) throws(RoomError) {
        let slot = touches.isMover(connection, of: hint) ? hint : try slot(of: connection)
        if !touches.isOpen(slot), let participant = slots[slot] {
            touches.open(slot, roomJSON: idJSON, userJSON: participant.idJSON)
        }
        touches.move(slot, by: connection, x: x, y: y, elementID: elementID)
    }

    package mutating func endTouch(of connection: ConnectionID) throws(RoomError) {
        endTouch(slot: try slot(of: connection))
    }

    /// The last position goes with the end, in one entry: nobody sees the one without the other.
    mutating func endTouch(slot: Int) {
        guard let last = touches.end(slot), let participant = slots[slot] else { return }
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
