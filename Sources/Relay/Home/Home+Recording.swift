import Rooms
import Store
import Transport

/// The recordings of rooms: a room's home gives the recorder what it gives its members.
///
/// Members are told of a recording with the tick at which it begins, and of its end with the last tick that is in it. Nothing
/// here waits for the recorder. What the recorder cannot take leaves a gap, after which the recording has the whole state once
/// more.
extension Home {
    /// How long a room that the server is to record waits after a failure.
    private static let retryMilliseconds: Int64 = 30_000

    static let recordsNothing = RoomError(.notFound, "This server does not record rooms.")
    static let isEmpty = RoomError(.conflict, "Nobody is in the room, so there is nothing to record.")
    private static let isRecording = RoomError(.conflict, "The room is being recorded already.")
    private static let recordsAlways = RoomError(
        .conflict, "The operator of this server records this room. Members cannot stop it.")

    private static let endNotStored = RoomError(
        .server, "The recording ends, but this cannot be stored yet. The server stores it once it can.")

    // MARK: Beginning

    func startRecording(_ id: String, by person: String, _ home: HomeRoom, _ question: UInt64) {
        let command = RoomCommand.startRecording(id, by: person)
        guard hub.roomRecorder != nil else { return refuse(command, Self.recordsNothing, question) }
        if let recording = home.recording {
            // This recording continues one of a lost home. If a member has ended that one, the store refuses this one, and
            // the start that waits begins another.
            guard case .opening = recording.phase, recording.before != nil, recording.next == nil else {
                return refuse(command, Self.isRecording, question)
            }
            home.recording?.next = (id, person, question)
            return
        }
        guard home.room.participantCount > 0 else { return refuse(command, Self.isEmpty, question) }
        openRecording(id, by: person, home)
        home.recording?.starters.append(question)
    }

    private func openRecording(_ id: String, by person: String?, _ home: HomeRoom, after before: String? = nil) {
        guard let recorder = hub.roomRecorder else { return }
        let told = RoomRecording(id: id, startedAt: recorder.now, startedBy: person)
        home.recording = HomeRecording(told, at: loop.now, after: before)
        home.hasRecorded = true
        recorder.open(told, of: home.id, after: before, fence: home.fence, for: mailbox)
    }

    /// Before each tick: begins what the operator wants to be recorded, and ends what records nobody.
    func checkRecording(_ home: HomeRoom) {
        guard let recorder = hub.roomRecorder, !isHandingOver else { return }
        let isEmpty = home.isEmpty && home.enteringCount == 0
        if home.recording != nil {
            if isEmpty { endRecording(home, .empty) }
        } else if !isEmpty, loop.now >= home.recordsNotBefore, recorder.records(home.id.text) {
            var random = random
            openRecording(RandomID.make(using: &random), by: nil, home)
        }
    }

    /// A room has come into use here. A recording of it may have lost its home.
    func findInterruptedRecording(_ home: HomeRoom) {
        hub.roomRecorder?.findInterrupted(of: home.id, for: mailbox)
    }

    // MARK: What the recorder says

    func received(_ news: RecordingNews, _ id: RoomID) {
        switch news {
        case .ended(let recording, _), .opened(let recording, .some):
            for question in stoppersOfRecordings.removeValue(forKey: recording) ?? [] {
                answer(question, .outcome(.done))
            }
        case .unstored(let recording):
            for question in stoppersOfRecordings.removeValue(forKey: recording) ?? [] {
                answer(question, .outcome(.refused(Self.endNotStored)))
            }
        case .opened, .hasPlace, .interrupted, .stopped: break
        }
        guard let home = rooms[id] else {
            // The room went out of use while its recording was being opened.
            if case .opened(let recording, nil) = news { hub.roomRecorder?.end(recording, reason: .empty) }
            return
        }
        switch news {
        case .opened(let recording, let error): opened(recording, error, home)
        case .hasPlace(let recording):
            guard home.recording?.told.id == recording, home.recording?.needsState == true else { return }
            home.room.tickAnyway()
            changed(home)
        case .ended(let recording, let reason): ended(recording, reason, home)
        case .unstored(let recording):
            guard home.recording?.told.id == recording else { return }
            for question in home.recording?.stoppers ?? [] { answer(question, .outcome(.refused(Self.endNotStored))) }
            home.recording?.stoppers = []
        case .interrupted(let recording, let person): goOn(recording, by: person, home)
        case .stopped(let recording):
            guard !home.hasRecorded, !home.room.isClosed else { return }
            home.room.stopRecording(recording, reason: RecordingEnd.stopped.rawValue)
            changed(home)
        }
    }

    private func opened(_ id: String, _ error: RoomError?, _ home: HomeRoom) {
        guard let recording = home.recording, recording.told.id == id else {
            if error == nil { hub.roomRecorder?.end(id, reason: .empty) }
            return
        }
        if let error {
            home.recording = nil
            home.recordsNotBefore = loop.now + Self.retryMilliseconds
            for question in recording.starters {
                refuse(.startRecording(id, by: recording.told.startedBy ?? ""), error, question)
            }
            for question in recording.stoppers { answer(question, .outcome(.done)) }
            // Members who have stayed were told of the recording before.
            guard let before = recording.before else { return }
            // Or a member has ended it in this moment.
            let reason: RecordingEnd = error.code == .conflict ? .stopped : .interrupted
            home.room.stopRecording(before, reason: reason.rawValue)
            changed(home)
            if let next = recording.next { startRecording(next.id, by: next.person, home, next.question) }
            return
        }
        if let next = recording.next {
            refuse(.startRecording(next.id, by: next.person), Self.isRecording, next.question)
            home.recording?.next = nil
        }
        for question in recording.starters { answer(question, .outcome(.done)) }
        home.recording?.starters = []
        if let reason = recording.unwanted {
            home.recording?.phase = .ending
            hub.roomRecorder?.end(id, reason: reason)
            return
        }
        home.recording?.phase = .running
        home.room.startRecording(recording.told)
        // What is done after the answer is recorded as it is done, and not as a part of the state at the beginning.
        tickAtTurnEnd(home)
    }

    private func ended(_ id: String, _ reason: RecordingEnd, _ home: HomeRoom) {
        guard let recording = home.recording, recording.told.id == id else { return }
        home.recording = nil
        for question in recording.stoppers { answer(question, .outcome(.done)) }
        switch recording.phase {
        case .opening, .ending: break
        // Members were not told yet: it has ended by itself.
        case .running, .stopping:
            // A room that the server is to record goes on in the next file.
            let wasShort = loop.now - recording.begunAt < Self.retryMilliseconds
            home.recordsNotBefore = loop.now + (reason == .size && !wasShort ? 0 : Self.retryMilliseconds)
            if case .running = recording.phase { home.room.stopRecording(id, reason: reason.rawValue) }
            changed(home)
        }
        // A room may wait for this to be given up.
        retireIfEmpty(home)
    }

    private func goOn(_ id: String, by person: String?, _ home: HomeRoom) {
        guard !home.hasRecorded, !home.room.isClosed else { return }
        var random = random
        openRecording(RandomID.make(using: &random), by: person, home, after: id)
    }

    // MARK: Going on

    /// The room's newest delta.
    func record(_ delta: RoomDelta, of home: HomeRoom) {
        guard let recording = home.recording, let recorder = hub.roomRecorder else { return }
        switch recording.phase {
        case .opening:
            if delta.isLast { home.recording?.unwanted = .closed }
        case .running, .stopping:
            let at = loop.now - recording.begunAt
            if !recording.needsState {
                home.recording?.needsState = !recorder.write(.delta(delta, at: at), of: recording.told.id)
            } else if !delta.isLast {
                // The state has what is in the delta.
                let piece = RecordedPiece.state(home.room.state(), home.room.snapshot(), at: at)
                home.recording?.needsState = !recorder.write(piece, of: recording.told.id)
            }
            if case .stopping(let reason) = recording.phase { finishRecording(home, reason) }
            if delta.isLast { finishRecording(home, .closed) }
        case .ending: break
        }
    }

    // MARK: The end

    func stopRecording(_ id: String, _ home: HomeRoom, _ question: UInt64) {
        guard let recording = home.recording, recording.told.id == id else {
            return answer(question, .outcome(.notInUse))
        }
        if recording.told.startedBy == nil, hub.roomRecorder?.records(home.id.text) == true {
            return refuse(.stopRecording(id), Self.recordsAlways, question)
        }
        home.recording?.stoppers.append(question)
        endRecording(home, .stopped)
    }

    /// Members are told with the next tick.
    private func endRecording(_ home: HomeRoom, _ reason: RecordingEnd) {
        guard let recording = home.recording else { return }
        switch recording.phase {
        case .opening: home.recording?.unwanted = recording.unwanted ?? reason
        case .running:
            home.recording?.phase = .stopping(reason)
            home.room.stopRecording(recording.told.id, reason: reason.rawValue)
            changed(home)
        case .stopping, .ending: break
        }
    }

    private func finishRecording(_ home: HomeRoom, _ reason: RecordingEnd) {
        guard let recording = home.recording else { return }
        home.recording?.phase = .ending
        hub.roomRecorder?.end(recording.told.id, reason: reason)
    }

    /// The room leaves this home. The next one, if there is one, goes on, unless the store has an end that a member wanted.
    /// So who has asked for the end gets the answer when the store has it.
    func abandonRecording(_ home: HomeRoom, _ reason: RecordingEnd) {
        guard let recording = home.recording.take() else { return }
        for question in recording.starters { answer(question, .outcome(.unavailable)) }
        if let next = recording.next { answer(next.question, .outcome(.unavailable)) }
        if !recording.stoppers.isEmpty { stoppersOfRecordings[recording.told.id] = recording.stoppers }
        switch recording.phase {
        // `opened` finds no room.
        case .opening, .ending: break
        case .running: hub.roomRecorder?.end(recording.told.id, reason: reason)
        // The next home must not go on with what a member has ended.
        case .stopping(let own): hub.roomRecorder?.end(recording.told.id, reason: own)
        }
    }
}
