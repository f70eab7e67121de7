/// A room as one shard has it: the members on this shard, each a cursor, and what it takes to bring them up to date.
///
/// Members that keep up all get the same bytes, those of the newest delta, less their own. One that is behind gets the
/// entries of the log since its cursor and of each participant the newest position. Nothing is kept for it.
public struct RoomReplica {
    public struct Member: Sendable {
        public let connection: ConnectionID
        public let slot: Int
        /// The newest entry of the log that it has been sent.
        public fileprivate(set) var seq: UInt64
        /// The newest delta that it has been sent.
        public fileprivate(set) var tick: UInt64
    }

    private struct Row {
        var frame: [UInt8] = []
        /// The delta in which the position came; 0 when the participant is not touching.
        var tick: UInt64 = 0
    }

    private let logBytesMax: Int
    private var log: [LogEntry] = []
    private var logStart = 0
    private var logBytes = 0
    private var rows: [Row] = []
    private var delta: RoomDelta
    /// Where in the newest delta's touches each slot has its frame.
    private var ownFrames: [Range<Int>] = []
    public private(set) var members: [Member] = []
    private var indexOfConnection: [ConnectionID: Int] = [:]
    private var seq: UInt64
    /// The newest entry before the newest delta.
    private var seqBefore: UInt64

    /// Begins with a snapshot, at the log's entry `seq`.
    public init(_ snapshot: RoomDelta, seq: UInt64, logBytesMax: Int) {
        self.logBytesMax = logBytesMax
        self.seq = seq
        seqBefore = seq
        delta = snapshot
        storeTouches(of: snapshot)
    }

    public var lastSeq: UInt64 { seq }
    public var lastTick: UInt64 { delta.tick }
    public var keptLogBytes: Int { logBytes }

    // MARK: Members

    /// Adds a member that has everything up to now, except the positions of those who are touching.
    @discardableResult
    public mutating func add(_ connection: ConnectionID, slot: Int) -> Int {
        if let index = indexOfConnection[connection] { return index }
        members.append(Member(connection: connection, slot: slot, seq: seq, tick: 0))
        indexOfConnection[connection] = members.count - 1
        return members.count - 1
    }

    /// Adds a member that comes back with the log's entry `seq` as the last it has. Answers false when the log does not
    /// reach back so far.
    public mutating func resume(_ connection: ConnectionID, slot: Int, seq: UInt64) -> Bool {
        guard seq <= self.seq, seq + 1 >= firstSeq else { return false }
        let index = add(connection, slot: slot)
        members[index].seq = seq
        return true
    }

    public mutating func remove(_ connection: ConnectionID) {
        guard let index = indexOfConnection.removeValue(forKey: connection) else { return }
        let last = members.removeLast()
        if last.connection != connection {
            members[index] = last
            indexOfConnection[last.connection] = index
        }
    }

    public func index(of connection: ConnectionID) -> Int? { indexOfConnection[connection] }

    // MARK: Deltas

    /// Takes in what has happened. Every delta of the room comes here, in order.
    public mutating func apply(_ delta: RoomDelta) {
        precondition(delta.tick == self.delta.tick + 1, "a delta is missing")
        for touch in self.delta.touches where touch.slot < ownFrames.count { ownFrames[touch.slot] = 0..<0 }
        seqBefore = seq
        for entry in delta.entries {
            precondition(entry.seq == seq + 1, "the log has a gap")
            seq = entry.seq
            log.append(entry)
            logBytes += entry.frames.count
        }
        trimLog()
        for slot in delta.endedTouches where slot < rows.count { rows[slot] = Row() }
        self.delta = delta
        storeTouches(of: delta)
    }

    private mutating func storeTouches(of delta: RoomDelta) {
        for touch in delta.touches {
            while rows.count <= touch.slot {
                rows.append(Row())
                ownFrames.append(0..<0)
            }
            rows[touch.slot].frame.removeAll(keepingCapacity: true)
            rows[touch.slot].frame.append(contentsOf: delta.touchFrames[touch.frame])
            rows[touch.slot].tick = max(delta.tick, 1)
            ownFrames[touch.slot] = touch.frame
        }
    }

    private mutating func trimLog() {
        while logBytes > logBytesMax, logStart < log.count {
            logBytes -= log[logStart].frames.count
            logStart += 1
        }
        if logStart > 64, logStart > log.count / 2 {
            log.removeFirst(logStart)
            logStart = 0
        }
    }

    private var firstSeq: UInt64 { logStart < log.count ? log[logStart].seq : seq + 1 }

    // MARK: Delivery

    /// What a member is to be sent.
    public enum Due {
        case nothing
        /// The newest delta's log frames, and its touch frames without this range of them.
        case delta(RoomDelta, without: Range<Int>)
        /// It is behind: ask `catchUp` for the bytes.
        case more
        /// The log does not reach back to it any more: it must resync.
        case lost
    }

    public func due(_ index: Int) -> Due {
        let member = members[index]
        if member.tick == delta.tick, member.seq == seq { return .nothing }
        if member.tick + 1 == delta.tick, member.seq == seqBefore, !delta.hasExceptions {
            let own = member.slot < ownFrames.count ? ownFrames[member.slot] : 0..<0
            return .delta(delta, without: own)
        }
        return member.seq + 1 >= firstSeq ? .more : .lost
    }

    /// Appends what a member that is behind has to be sent: the log first, then positions.
    public func catchUp(_ index: Int, into bytes: inout [UInt8]) {
        let member = members[index]
        if member.seq < seq {
            let first = logStart + Int(member.seq + 1 - firstSeq)
            for entry in log[first...] where entry.except != member.slot { bytes.append(contentsOf: entry.frames) }
        }
        for slot in rows.indices where rows[slot].tick > member.tick && slot != member.slot {
            bytes.append(contentsOf: rows[slot].frame)
        }
    }

    /// The member has been sent all that was due.
    public mutating func advance(_ index: Int) {
        members[index].seq = seq
        members[index].tick = delta.tick
    }
}
