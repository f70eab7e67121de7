import Recordings
import Store
import Threads

/// Recordings of an earlier version.
extension RecordingLibrary {
    private static let lookSeconds: Int64 = 3_600
    private static let trySeconds: Int64 = 30

    /// Makes them clean, one after another: all that are there, and later those that somebody asks for. A node of an earlier
    /// version may go on writing into the directory.
    func clean(_ old: OldRecordings) async {
        var (left, looksAt, triesAt): (Set<String>, Int64, Int64) = ([], 0, 0)
        while !Task.isCancelled {
            let now = Clock.unixSeconds()
            var ids = old.takeWanted()
            if now >= looksAt {
                ids.formUnion(await run(on: cleaning) { old.find() } ?? [])
                looksAt = now + Self.lookSeconds
            }
            if now >= triesAt {
                ids.formUnion(left)
                (left, triesAt) = ([], now + Self.trySeconds)
            }
            for id in ids where !Task.isCancelled {
                if await !clean(id, old) { left.insert(id) }
            }
            try? await Task.sleep(for: .seconds(1))
        }
    }

    /// - Returns: false when it has to be tried again: nobody has said yet where the file ends.
    private func clean(_ id: String, _ old: OldRecordings) async -> Bool {
        guard let row = await asked({ $0.recording(id, then: $1) }) else { return false }
        // A file without a row is somebody's.
        guard let recording = row else { return true }
        guard recording.isSettled else { return false }
        await replace(recording, old)
        return true
    }

    /// The row is not settled while one file takes the place of another, so whoever finds it after a crash measures what is there.
    private func replace(_ recording: Recording, _ old: OldRecordings) async {
        let id = recording.id
        let copied = await run(on: cleaning) {
            Result { () throws(RecordingFault) in try old.copy(recording) }
        }
        if case .failure(let fault) = copied { report("a recording of an earlier version stays as it is: \(fault)") }
        guard case .success(let clean?) = copied else { return }
        guard await asked({ $0.unsettleRecording(id, then: $1) }) == true else { return clean.discard() }
        let placed = await run(on: cleaning) { Result { () throws(RecordingFault) in try clean.takePlace() } }
        guard case .success = placed else {
            if case .failure(let fault) = placed { report("\(fault)") }
            return clean.discard()
        }
        let isKept = await asked {
            $0.endRecording(
                id, clean.extent, reason: recording.reason ?? .interrupted, at: recording.endedAt ?? writer.now,
                settles: true, then: $1)
        }
        // It was deleted meanwhile, and its file is there once more.
        if isKept == false { await delete(id) }
    }
}
