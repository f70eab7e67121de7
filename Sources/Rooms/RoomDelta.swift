/// One entry of a room's log: what must not be lost, in the room's one order.
package struct LogEntry: Sendable, Equatable {
    /// 1 for a room's first, one more for each that follows.
    package let seq: UInt64
    /// Whole WebSocket text frames.
    package let frames: [UInt8]
    /// The slot of the participant who does not get it, or -1. Meant is who has the slot when the entry is made, not
    /// who may have it later.
    package let except: Int
    /// The slot of the participant who comes with this entry, or -1.
    package let opens: Int

    package init(seq: UInt64, frames: [UInt8], except: Int = -1, opens: Int = -1) {
        self.seq = seq
        self.frames = frames
        self.except = except
        self.opens = opens
    }

    /// What its last event says: JSON.
    package var argument: [UInt8] {
        guard let text = Array(FrameTexts(frames)).last, let comma = frames[text].firstIndex(of: UInt8(ascii: ","))
        else {
            return []
        }
        return Array(frames[comma + 1..<text.upperBound - 1])
    }
}

/// What has changed in a room since its last tick. Made once, shared by all shards and all members, never changed.
package final class RoomDelta: Sendable {
    /// A participant's newest position, as a frame among the delta's.
    package struct Touch: Sendable, Equatable {
        package let slot: Int
        /// Where it stands in `RoomDelta.frames`.
        package let frame: Range<Int>
        /// Where the numbers stand.
        let place: TouchPlace
    }

    /// The room's id as a JSON string.
    package let roomJSON: [UInt8]
    /// One more than that of the delta before.
    package let tick: UInt64
    package let entries: [LogEntry]
    /// Participants whose touch has ended or who have left: an entry of the log says so.
    package let endedTouches: [Int]
    package let touches: [Touch]
    /// All that a member who keeps up is to be sent: the entries' frames, then those of the touches.
    package let frames: [UInt8]
    /// How many bytes of the frames are the log's.
    package let logByteCount: Int
    /// Whether the room has been closed: nothing follows.
    package let isLast: Bool

    init(
        roomJSON: [UInt8], tick: UInt64, entries: [LogEntry], endedTouches: [Int], touches: [Touch], frames: [UInt8],
        logByteCount: Int, isLast: Bool = false
    ) {
        self.roomJSON = roomJSON
        self.tick = tick
        self.entries = entries
        self.endedTouches = endedTouches
        self.touches = touches
        self.frames = frames
        self.logByteCount = logByteCount
        self.isLast = isLast
    }

    /// All entries' frames, one after another.
    package var logFrames: ArraySlice<UInt8> { frames[..<logByteCount] }
    package var touchFrames: ArraySlice<UInt8> { frames[logByteCount...] }
    /// Whether some entry has somebody who does not get it.
    package var hasExceptions: Bool { entries.contains { $0.except >= 0 } }
}
