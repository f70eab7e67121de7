import Rooms
import Store

/// A recording of a room, as the room's home has it.
struct HomeRecording {
    enum Phase {
        /// The recorder has not said yet whether it may begin.
        case opening
        case running
        /// Members are told with the next tick that it has ended, which is the last that it gets.
        case stopping(RecordingEnd)
        /// The recorder writes the rest.
        case ending
    }

    let told: RoomRecording
    /// When it began, by the loop's clock.
    let begunAt: Int64
    var phase = Phase.opening
    /// Whether it needs the whole state before it can go on.
    var needsState = true
    /// The recording of which members were told before, and which goes on in this one.
    let before: String?
    /// Who has asked for it to start, and to stop.
    var starters: [UInt64] = []
    var stoppers: [UInt64] = []
    /// A member's start that waits until it is known whether this recording, which continues another, may begin.
    var next: (id: String, person: String, question: UInt64)?
    /// Why it ends before it could begin.
    var unwanted: RecordingEnd?

    init(_ told: RoomRecording, at now: Int64, after before: String? = nil) {
        self.told = told
        self.before = before
        begunAt = now
    }
}
