import Wire

/// A room as its home shard has it: who is in it, what is on its canvas, and what has happened since the last tick.
///
/// Deterministic: the time and the random ids are given to it. What it decides goes out in deltas, which replicas
/// deliver; what it answers goes back to who asked.
public struct Room {
    public let id: String
    /// The id as a JSON string.
    public let idJSON: [UInt8]
    let limits: RoomLimits
    /// The room as clients are shown it: a JSON object.
    public internal(set) var info: [UInt8]

    var slots: [Participant?] = []
    var slotOfPerson: [String: Int] = [:]
    var slotOfConnection: [ConnectionID: Int] = [:]
    var elements = ElementTable()
    var touches = TouchTable()
    private(set) var seq: UInt64 = 0
    private(set) var tick: UInt64 = 0
    private var entries: [LogEntry] = []

    public init(id: String, info: [UInt8], limits: RoomLimits) {
        self.id = id
        var idJSON: [UInt8] = []
        idJSON.appendJSONString(id.utf8.span)
        self.idJSON = idJSON
        self.info = info
        self.limits = limits
    }

    public var participantCount: Int { slotOfPerson.count }
    public var connectionCount: Int { slotOfConnection.count }
    public var elementCount: Int { elements.count }
    /// The number of the newest entry of the log.
    public var lastSeq: UInt64 { seq }
    /// The number of the newest delta.
    public var lastTick: UInt64 { tick }

    /// Whether a connection is in the room.
    public func contains(_ connection: ConnectionID) -> Bool { slotOfConnection[connection] != nil }

    // MARK: The log

    /// Appends an event to the log: all members see it once, in this place.
    mutating func log(_ name: StaticString, except: Int = -1, before: [UInt8] = [], _ body: (inout [UInt8]) -> Void) {
        var frames = before
        EventFrame.append(name, to: &frames, body)
        seq += 1
        entries.append(LogEntry(seq: seq, frames: frames, except: except))
    }

    /// Whether there is something to tell the members.
    public var isDirty: Bool { !entries.isEmpty || touches.isDirty }

    /// Ends a tick: what has happened since the last, or nil when nothing has.
    public mutating func takeDelta() -> RoomDelta? {
        guard isDirty else { return nil }
        tick += 1
        let changes = touches.takeChanges()
        let delta = RoomDelta(
            tick: tick, entries: entries, endedTouches: changes.ended, touches: changes.touches,
            touchFrames: changes.frames)
        entries.removeAll(keepingCapacity: true)
        return delta
    }

    /// What a shard needs to begin with a replica of this room. Nothing may be waiting for the next tick.
    public func snapshot() -> RoomDelta {
        precondition(!isDirty, "a snapshot stands between two ticks")
        let (touches, frames) = touches.current()
        return RoomDelta(tick: tick, entries: [], endedTouches: [], touches: touches, touchFrames: frames)
    }

    // MARK: Touches

    /// Overwrites a member's position. The spans are checked JSON: two numbers, and a string or nothing.
    public mutating func moveTouch(
        of connection: ConnectionID, x: Span<UInt8>, y: Span<UInt8>, elementID: Span<UInt8>
    ) throws(RoomError) {
        touches.move(try slot(of: connection), x: x, y: y, elementID: elementID)
    }

    public mutating func endTouch(of connection: ConnectionID) throws(RoomError) {
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
