/// One entry of a room's log: an event that must not be lost, in the room's one order.
package struct LogEntry: Sendable, Equatable {
    /// The number of the entry: 1 for the first of a room, then one more for each.
    package let seq: UInt64
    /// Whole WebSocket text frames.
    package let frames: [UInt8]
    /// The frames for members that take edits of texts, if they are others; else empty.
    package let edit: [UInt8]
    /// The slot of the participant who does not get the entry, or -1. It means the participant who has the slot when
    /// the entry is made, not a later one.
    package let except: Int
    /// The slot of the participant who joins with this entry, or -1.
    package let opens: Int

    package init(seq: UInt64, frames: [UInt8], edit: [UInt8] = [], except: Int = -1, opens: Int = -1) {
        self.seq = seq
        self.frames = frames
        self.edit = edit
        self.except = except
        self.opens = opens
    }

    /// The memory of its frames.
    var byteCount: Int { frames.count + edit.count }

    func frames(for form: DeliveryForm) -> [UInt8] { form.contains(.edits) && !edit.isEmpty ? edit : frames }

    /// The argument of its last event: JSON.
    package var argument: [UInt8] {
        guard let text = Array(FrameTexts(frames)).last, let comma = frames[text].firstIndex(of: UInt8(ascii: ","))
        else {
            return []
        }
        return Array(frames[comma + 1..<text.upperBound - 1])
    }
}

/// The changes of a room since its last tick. A delta is made once, never changed, and shared by all shards and
/// members.
package final class RoomDelta: Sendable {
    /// A participant's newest position, as a frame among the delta's.
    package struct Touch: Sendable, Equatable {
        package let slot: Int
        /// Its range in `RoomDelta.frames`.
        package let frame: Range<Int>
        /// The places of the numbers in the frame.
        let place: TouchPlace
    }

    /// A participant's newest caret, as a frame.
    package struct Caret: Sendable, Equatable {
        package let slot: Int
        package let frame: [UInt8]
        /// Whether the participant does not write any more.
        package let isEnd: Bool
    }

    /// The room's id as a JSON string.
    package let roomJSON: [UInt8]
    /// The number of the tick, one more than that of the delta before.
    package let tick: UInt64
    package let entries: [LogEntry]
    /// Participants whose touch has ended or who have left. An entry of the log says so as well.
    package let endedTouches: [Int]
    package let touches: [Touch]
    /// Of these, the participants of whom nothing more is told for now. For nodes that are told of a part of the room.
    package let away: [Int]
    package let carets: [Caret]
    /// Everything for a member without options that keeps up: the frames of the entries, then those of the touches.
    package let frames: [UInt8]
    /// The length of the entries' frames within `frames`.
    package let logByteCount: Int
    /// Whether the room is closed: this is its last delta.
    package let isLast: Bool
    /// The time in milliseconds after which the room may tick again; 0 if it is not known.
    package let interval: Int

    init(
        roomJSON: [UInt8], tick: UInt64, entries: [LogEntry], endedTouches: [Int], touches: [Touch],
        away: [Int] = [], carets: [Caret] = [], frames: [UInt8], logByteCount: Int, isLast: Bool = false,
        interval: Int = 0
    ) {
        self.roomJSON = roomJSON
        self.tick = tick
        self.entries = entries
        self.endedTouches = endedTouches
        self.touches = touches
        self.away = away
        self.carets = carets
        self.frames = frames
        self.logByteCount = logByteCount
        self.isLast = isLast
        self.interval = interval
    }

    /// All entries' frames, one after another.
    package var logFrames: ArraySlice<UInt8> { frames[..<logByteCount] }
}
