import Rooms
import Store

/// Writes recordings of rooms, on threads of its own. It is called on the rooms' home shards, and never waits.
///
/// A home opens a recording. The answer is news (`RecordingNews`). Then the home offers what it gives its members, and ends
/// the recording. A recording that ends by itself is news too.
package protocol RoomRecorder: Sendable {
    /// Milliseconds since 1970.
    var now: Int64 { get }

    /// Whether the operator wants a room to be recorded.
    func records(_ room: String) -> Bool

    /// The answer is `opened`.
    ///
    /// - Parameter previous: the interrupted recording that goes on in this one.
    func open(
        _ recording: RoomRecording, of room: RoomID, after previous: String?, fence: Int64?, for home: any RelayMailbox)

    /// Takes the next piece of an open recording.
    ///
    /// - Returns: false when there is no place for it now. `hasPlace` follows.
    func write(_ piece: RecordedPiece, of recording: String) -> Bool

    /// Writes what was taken, and ends the recording. The news is `ended`, when the store has the end.
    func end(_ recording: String, reason: RecordingEnd)

    /// Looks for a recording of a room that its last home could not end. The answer is `interrupted` if it may go on, `stopped`
    /// if a member has ended it since, and nothing if there is none.
    func findInterrupted(of room: RoomID, for home: any RelayMailbox)
}

/// What a recording gets of a room.
package enum RecordedPiece: Sendable {
    /// The whole state, and the positions of those who are touching: it begins here, or could not go on before.
    case state(RoomState, RoomDelta, at: Int64)
    /// What has happened since the piece before.
    case delta(RoomDelta, at: Int64)

    /// The memory that it takes, about.
    package var byteCount: Int {
        switch self {
        case .state(let state, let snapshot, _): state.byteCount + snapshot.byteCount
        case .delta(let delta, _): delta.byteCount
        }
    }
}

/// What a room's home learns of its recording.
package enum RecordingNews: Sendable {
    /// It may begin, or why not.
    case opened(String, RoomError?)
    /// Pieces are taken again.
    case hasPlace(String)
    /// It has ended, and the store has the end.
    case ended(String, RecordingEnd)
    /// It has ended, and the store cannot take the end now. `ended` follows.
    case unstored(String)
    /// A recording by this user, or by the server, which the home before could not end.
    case interrupted(String, startedBy: String?)
    /// A recording that the home before could not end, and that a member has ended since.
    case stopped(String)
}
