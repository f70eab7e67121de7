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
        var (left, failed, looksAt, triesAt): (Set<String>, Set<String>, Int64, Int64) = ([], [], 0, 0)
        while !Task.isCancelled {
            let now = Clock.unixSeconds()
            // A file that cannot be made clean is not read again for each client that asks for it.
            var ids = old.takeWanted().subtracting(failed)
            if now >= looksAt {
                failed = []
                ids.formUnion(await run(on: cleaning) { old.find() } ?? [])
                looksAt = now + Self.lookSeconds
            }
            if now >= triesAt {
                ids.formUnion(left)
                (left, triesAt) = ([], now + Self.trySeconds)
            }
            for id in ids where !Task.isCancelled {
                switch await clean(id, old) {
                case .done: break
                case .tooEarly: left.insert(id)
                case .failed: failed.insert(id)
                }
            }
            try? await Task.sleep(for: .seconds(1))
        }
    }

    private enum Outcome {
        case done
        /// Nobody has said yet where the file ends.
        case tooEarly
        case failed
    }

    private func clean(_ id: String, _ old: OldRecordings) async -> Outcome {
        guard let row = await asked({ $0.recording(id, then: $1) }) else { return .tooEarly }
        // A file without a row is somebody's.
        guard let recording = row else { return .done }
        guard recording.isSettled else { return .tooEarly }
        return await replace(recording, old) ? .done : .failed
    }

    /// The row is not settled while one file takes the place of another, so whoever finds it after a crash measures what is there.
    ///
    /// - Returns: false when the old file stays.
    private func replace(_ recording: Recording, _ old: OldRecordings) async -> Bool {
        let copied = await run(on: cleaning) {
            Result { () throws(RecordingFault) in try old.copy(recording) }
        }
        switch copied {
        case .success(let clean?): return await place(clean, of: recording)
        case .success(nil): return true
        case .failure(let fault): report("a recording of an earlier version stays as it is: \(fault)")
        case nil: break
        }
        return false
    }

    private func place(_ clean: OldRecordings.CleanFile, of recording: Recording) async -> Bool {
        let id = recording.id
        guard await asked({ $0.unsettleRecording(id, then: $1) }) == true else {
            clean.discard()
            return false
        }
        let placed = await run(on: cleaning) { Result { () throws(RecordingFault) in try clean.takePlace() } }
        guard case .success = placed else {
            if case .failure(let fault) = placed { report("\(fault)") }
            clean.discard()
            return false
        }
        let isKept = await asked {
            $0.endRecording(
                id, clean.extent, reason: recording.reason ?? .interrupted, at: recording.endedAt ?? writer.now,
                settles: true, then: $1)
        }
        // It was deleted meanwhile, and its file is there once more.
        if isKept == false { await delete(id) }
        return true
    }
}
