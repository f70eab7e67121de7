import Glibc
import Recordings
import Relay
import Rooms
import Store
import Threads

/// The writing thread of a `RecordingWriter`, and the recordings that it has open.
final class WritingDesk {
    private static let notKept = RoomError(.server, "The recording cannot be kept at the moment.")
    private static let wasEnded = RoomError(.conflict, "The recording has been ended.")
    private static let noPlace = RoomError(.server, "There is no place for a recording on the disk.")

    private static func tooMany(_ most: Int) -> RoomError {
        RoomError(.conflict, "You are recording \(most) rooms, which is the most. Stop one of these recordings first.")
    }

    private let writer: RecordingWriter
    private var limits: RecordingLimits { writer.limits }
    private var open: [String: OpenRecording] = [:]
    private var unstored: [RecordingWriter.UnstoredEnd] = []
    private var nextFlush: Int64 = 0
    private var nextNote: Int64 = 0

    init(_ writer: RecordingWriter) {
        self.writer = writer
    }

    func run() {
        while let jobs = writer.next(until: open.isEmpty && unstored.isEmpty ? nil : nextFlush) {
            var byteCount = 0
            for job in jobs {
                if case .piece(let piece, _) = job { byteCount += piece.byteCount }
                perform(job)
            }
            timeHasPassed()
            for id in writer.wrote(byteCount) { open[id]?.tell(.hasPlace(id)) }
        }
        for recording in Array(open.values) { end(recording, .interrupted) }
    }

    private func perform(_ job: RecordingWriter.Job) {
        switch job {
        case .open(let opening): open(opening)
        case .begun(let id, let error): begun(id, error)
        case .piece(let piece, let id):
            guard let recording = open[id] else { return }
            attempt(recording) { () throws(RecordingFault) in try recording.append(piece) }
        case .end(let id, let reason):
            guard let recording = open[id] else { return }
            end(recording, reason)
        case .find(let room, let home): writer.find(room, for: home)
        case .unstored(let end):
            guard unstored.count < limits.unstoredEndsMax else { return Self.tell(end) }
            unstored.append(end)
            // Who has asked for it need not wait.
            end.home.insist(.home(end.room, .recording(.unstored(end.id))))
        }
    }

    private func hasPlace(for opening: RecordingWriter.Opening) -> Bool {
        guard let starter = opening.told.startedBy, opening.previous == nil else { return true }
        return open.values.count { $0.told.startedBy == starter } < limits.openOfStarterMax
    }

    private func open(_ opening: RecordingWriter.Opening) {
        let (told, room) = (opening.told, opening.room)
        guard hasPlace(for: opening) else {
            writer.closed(told.id)
            opening.home.insist(.home(room, .recording(.opened(told.id, Self.tooMany(limits.openOfStarterMax)))))
            return
        }
        do throws(RecordingFault) {
            guard open.count < limits.openMax, writer.folder.hasRoom(for: 1 << 20),
                let path = writer.folder.path(of: told.id)
            else {
                throw .file(writer.folder.directory, ENOSPC)
            }
            let file = try RecordingFile(
                path: path, head: RecordingHead(roomID: room.text, startedAt: told.startedAt),
                bytesMax: limits.fileBytesMax)
            open[told.id] = OpenRecording(told, of: room, for: opening.home, file)
        } catch {
            cannotBegin(error)
            writer.closed(told.id)
            opening.home.insist(.home(room, .recording(.opened(told.id, Self.noPlace))))
            return
        }
        let row = Recording(
            id: told.id, room: room.text, starter: told.startedBy, previous: opening.previous, writer: writer.writer,
            startedAt: told.startedAt)
        writer.store.beginRecording(row, fence: opening.fence) { [writer] result in
            if case .failure(let error) = result {
                writer.put(.begun(told.id, error))
            } else {
                writer.put(.begun(told.id, nil))
            }
        }
    }

    private func begun(_ id: String, _ error: StoreError?) {
        guard let recording = open[id] else {
            // It has ended before it could begin.
            if error != nil { discard(id) }
            return
        }
        guard let error else {
            recording.hasBegun = true
            writer.exchange?.take(id)
            writer.totals.count {
                $0.running += 1
                $0.begun += 1
            }
            return recording.tell(.opened(id, nil))
        }
        forget(recording)
        recording.file.remove()
        if case .conflict = error { return recording.tell(.opened(id, Self.wasEnded)) }
        cannotBegin(error)
        recording.tell(.opened(id, Self.notKept))
        // The row may be there all the same, when only the answer was lost.
        store(ending(recording, RecordingExtent(), .storage))
    }

    private func discard(_ id: String) {
        // What sends it finds no row, and removes all of it.
        guard writer.exchange == nil else { return }
        do throws(RecordingFault) { try writer.folder.remove(id) } catch { writer.tellOperator("\(error)") }
    }

    private func cannotBegin(_ error: any Error) {
        writer.tellOperator("a recording cannot begin: \(error)")
        writer.totals.count { $0.failed += 1 }
    }

    private func forget(_ recording: OpenRecording) {
        open[recording.told.id] = nil
        writer.closed(recording.told.id)
    }

    // MARK: Writing

    /// Does something with a file. What fails or is full ends.
    private func attempt(_ recording: OpenRecording, _ body: () throws(RecordingFault) -> Void) {
        let before = recording.file.byteCount
        do throws(RecordingFault) {
            try body()
        } catch {
            writer.tellOperator("a recording of the room \(recording.room.text) has ended: \(error)")
            return end(recording, .storage)
        }
        let count = recording.file.byteCount - before
        if count > 0 { writer.totals.count { $0.bytesWritten += count } }
        if recording.file.isFull { end(recording, .size) }
    }

    private func timeHasPassed() {
        let now = Clock.milliseconds()
        guard now >= nextFlush else { return }
        nextFlush = now + limits.flushMilliseconds
        let hasRoom = writer.folder.hasRoom(for: 0)
        for recording in Array(open.values) where recording.hasBegun {
            if hasRoom {
                attempt(recording) { () throws(RecordingFault) in try recording.file.flush() }
            } else {
                writer.tellOperator("a recording of the room \(recording.room.text) has ended: the disk is full")
                end(recording, .storage)
            }
        }
        let late = unstored
        unstored = []
        for end in late { store(end) }
        guard now >= nextNote else { return }
        nextNote = now + limits.noteMilliseconds
        for recording in open.values where recording.extent != recording.noted {
            recording.noted = recording.extent
            writer.store.noteRecording(recording.told.id, recording.extent) { _ in }
        }
    }

    // MARK: Ends

    private func end(_ recording: OpenRecording, _ reason: RecordingEnd) {
        let before = recording.file.byteCount
        if reason != .storage {
            do throws(RecordingFault) { try recording.file.finish() } catch {
                writer.tellOperator("the end of a recording of the room \(recording.room.text) is lost: \(error)")
            }
        }
        recording.file.close()
        forget(recording)
        let written = recording.file.byteCount - before
        writer.totals.count {
            if recording.hasBegun { $0.running -= 1 }
            $0.bytesWritten += written
            $0.ends[reason, default: 0] += 1
        }
        let ending = ending(recording, recording.extent, reason)
        writer.exchange?.end(ending.id, RecordingExchange.End(reason: reason, at: ending.at))
        store(ending)
    }

    private func ending(
        _ recording: OpenRecording, _ extent: RecordingExtent, _ reason: RecordingEnd
    ) -> RecordingWriter.UnstoredEnd {
        RecordingWriter.UnstoredEnd(
            id: recording.told.id, room: recording.room, home: recording.home, extent: extent, reason: reason,
            at: writer.now)
    }

    private func store(_ end: RecordingWriter.UnstoredEnd) {
        let settles = writer.exchange == nil
        writer.store.endRecording(end.id, end.extent, reason: end.reason, at: end.at, settles: settles) {
            [writer] result in
            if case .failure = result { writer.put(.unstored(end)) } else { Self.tell(end) }
        }
    }

    private static func tell(_ end: RecordingWriter.UnstoredEnd) {
        end.home.insist(.home(end.room, .recording(.ended(end.id, end.reason))))
    }
}
