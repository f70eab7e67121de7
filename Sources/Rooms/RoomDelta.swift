/// One entry of a room's log: what must not be lost, in the room's one order.
public struct LogEntry: Sendable, Equatable {
    /// 1 for a room's first, one more for each that follows.
    public let seq: UInt64
    /// Whole WebSocket text frames.
    public let frames: [UInt8]
    /// The slot of the participant who does not get it, or -1.
    public let except: Int

    public init(seq: UInt64, frames: [UInt8], except: Int = -1) {
        self.seq = seq
        self.frames = frames
        self.except = except
    }
}

/// What has changed in a room since its last tick. Made once, shared by all shards and all members, never changed.
public final class RoomDelta: Sendable {
    /// A participant's newest position, as a frame in `touchFrames`.
    public struct Touch: Sendable, Equatable {
        public let slot: Int
        public let frame: Range<Int>
    }

    /// One more than that of the delta before.
    public let tick: UInt64
    public let entries: [LogEntry]
    /// All entries' frames, one after another.
    public let logFrames: [UInt8]
    /// Whether some entry has somebody who does not get it.
    public let hasExceptions: Bool
    /// Participants whose touch has ended or who have left: an entry of the log says so.
    public let endedTouches: [Int]
    public let touches: [Touch]
    public let touchFrames: [UInt8]

    init(
        tick: UInt64, entries: [LogEntry], endedTouches: [Int], touches: [Touch], touchFrames: [UInt8]
    ) {
        self.tick = tick
        self.entries = entries
        self.endedTouches = endedTouches
        self.touches = touches
        self.touchFrames = touchFrames
        var logFrames: [UInt8] = []
        for entry in entries { logFrames.append(contentsOf: entry.frames) }
        self.logFrames = logFrames
        hasExceptions = entries.contains { $0.except >= 0 }
    }
}
