import Recordings
import Relay
import Rooms
import Store

/// A recording that is being written. It belongs to the writing thread.
final class OpenRecording {
    let told: RoomRecording
    let room: RoomID
    let home: any RelayMailbox
    let file: RecordingFile
    /// What the row says.
    var noted = RecordingExtent()
    /// Whether the row is there, so that pieces may come.
    var hasBegun = false

    init(_ told: RoomRecording, of room: RoomID, for home: any RelayMailbox, _ file: RecordingFile) {
        (self.told, self.room, self.home, self.file) = (told, room, home, file)
    }

    var extent: RecordingExtent {
        RecordingExtent(bytes: Int64(file.byteCount), milliseconds: file.milliseconds)
    }

    func tell(_ news: RecordingNews) { home.insist(.home(room, .recording(news))) }

    func append(_ piece: RecordedPiece) throws(RecordingFault) {
        switch piece {
        case .state(let state, let snapshot, let time):
            try file.append(RecordingLine(time: time, name: "room:joined", argument: state.jsonWithoutSelf))
            try append(snapshot, time)
        case .delta(let delta, let time): try append(delta, time)
        }
    }

    private func append(_ delta: RoomDelta, _ time: Int64) throws(RecordingFault) {
        // A closure would lose the type of the error.
        var fault: RecordingFault?
        delta.forEachEvent { name, argument in
            guard fault == nil else { return }
            let line = RecordingLine(
                time: time, name: String(decoding: name, as: UTF8.self), argument: Array(argument))
            do throws(RecordingFault) { try file.append(line) } catch { fault = error }
        }
        if let fault { throw fault }
    }
}
