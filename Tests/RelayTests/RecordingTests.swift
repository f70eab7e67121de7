import Rooms
import Store
import Testing
import Threads
import Transport
import Wire

@testable import Relay

/// Notes what a home asks of it. The test says what has become of it.
private final class NotingRecorder: RoomRecorder {
    enum Call: Equatable {
        case find(String)
        case open(by: String?, after: String?)
        case end(RecordingEnd)
    }

    private struct Notes {
        var calls: [Call] = []
        var stateCount = 0
        var recording: String?
        var home: (any RelayMailbox)?
    }

    private let notes = Monitor(Notes())
    private let recordsAll: Bool

    /// - Parameter recordsAll: as if the operator had said so.
    init(recordsAll: Bool = false) {
        self.recordsAll = recordsAll
    }

    var now: Int64 { 1_760_000_000_000 }

    func records(_ room: String) -> Bool { recordsAll }

    func open(
        _ recording: RoomRecording, of room: RoomID, after previous: String?, fence: Int64?,
        for home: any RelayMailbox
    ) {
        note(.open(by: recording.startedBy, after: previous), home, recording.id)
    }

    func write(_ piece: RecordedPiece, of recording: String) -> Bool {
        if case .state = piece { notes.withLock { $0.stateCount += 1 } }
        return true
    }

    /// How often it got the whole state of a room.
    var stateCount: Int { notes.withLock { $0.stateCount } }

    func end(_ recording: String, reason: RecordingEnd) { note(.end(reason)) }

    func findInterrupted(of room: RoomID, for home: any RelayMailbox) { note(.find(room.text), home) }

    private func note(_ call: Call, _ home: (any RelayMailbox)? = nil, _ recording: String? = nil) {
        notes.withLock { notes in
            notes.calls.append(call)
            notes.home = home ?? notes.home
            notes.recording = recording ?? notes.recording
        }
        notes.notify()
    }

    /// Waits until the home has asked for this.
    func wait(for call: Call) {
        notes.wait { notes -> Monitor<Notes>.Attempt<Void> in
            guard let index = notes.calls.firstIndex(of: call) else { return .again(at: nil) }
            notes.calls.remove(at: index)
            return .done(())
        }
    }

    func tell(_ room: String, _ news: (String) -> RecordingNews) {
        let notes = notes.withLock { $0 }
        notes.home?.insist(.home(RoomID(room), .recording(news(notes.recording ?? ""))))
    }
}

/// The answer to a command, once it is there.
private final class Answered: Sendable {
    private let outcome = Monitor<RoomCommands.Outcome?>(nil)

    var isThere: Bool { outcome.withLock { $0 != nil } }

    func set(_ outcome: RoomCommands.Outcome) {
        self.outcome.withLock { $0 = outcome }
        self.outcome.notify()
    }

    func wait() -> RoomCommands.Outcome {
        outcome.wait { outcome in
            guard let outcome else { return .again(at: nil) }
            return .done(outcome)
        }
    }
}

@Suite("The home of a room that is recorded", .serialized, .timeLimit(.minutes(1)))
struct RecordingTests {
    private func start(_ server: RelayServer) -> Answered {
        let answered = Answered()
        server.rooms.startRecording("a", by: "ada", of: "r") { answered.set($0) }
        return answered
    }

    private func stop(_ server: RelayServer) -> Answered {
        let answered = Answered()
        server.rooms.stopRecording("a", of: "r") { answered.set($0) }
        return answered
    }

    /// A member wants the room recorded, and the recorder is asked.
    private func asked(_ server: RelayServer, _ recorder: NotingRecorder) throws -> (ada: TestClient, started: Answered)
    {
        let ada = try server.client("ada")
        _ = try ada.join("r")
        let started = start(server)
        recorder.wait(for: .open(by: "ada", after: nil))
        return (ada, started)
    }

    @Test("answers a stop when the store has the end, also when the room has gone meanwhile")
    func stopped() throws {
        let recorder = NotingRecorder()
        let server = try RelayServer(recorder: recorder)
        let (ada, started) = try asked(server, recorder)
        #expect(!started.isThere)
        recorder.tell("r") { .opened($0, nil) }
        #expect(started.wait() == .done)
        _ = try ada.event("recording:started")
        let stopped = stop(server)
        #expect(try ada.event("recording:stopped").first?["reason"]?.string == "stopped")
        recorder.wait(for: .end(.stopped))
        _ = try ada.ask("room:leave", #"{"roomId":"r"}"#)
        #expect(try eventually { try server.onShard(0) { $0.home.rooms.isEmpty } })
        #expect(!stopped.isThere)
        recorder.tell("r") { .ended($0, .stopped) }
        #expect(stopped.wait() == .done)
    }

    @Test("ends a recording that was stopped before it could begin, and tells nobody")
    func stoppedEarly() throws {
        let recorder = NotingRecorder()
        let server = try RelayServer(recorder: recorder)
        let (ada, started) = try asked(server, recorder)
        let stopped = stop(server)
        recorder.tell("r") { .opened($0, nil) }
        #expect(started.wait() == .done)
        recorder.wait(for: .end(.stopped))
        #expect(!stopped.isThere)
        recorder.tell("r") { .ended($0, .stopped) }
        #expect(stopped.wait() == .done)
        #expect(try server.outcome { $0.rename("r", to: "New", $1) } == .done)
        let names = try ada.names(through: "room:renamed")
        #expect(!names.contains { $0.hasPrefix("recording:") })
    }

    @Test("does not keep who stops it waiting while the store cannot take the end")
    func unstored() throws {
        let recorder = NotingRecorder()
        let server = try RelayServer(recorder: recorder)
        let (ada, started) = try asked(server, recorder)
        defer { withExtendedLifetime(ada) {} }
        recorder.tell("r") { .opened($0, nil) }
        #expect(started.wait() == .done)
        let stopped = stop(server)
        recorder.wait(for: .end(.stopped))
        recorder.tell("r") { .unstored($0) }
        guard case .refused(let error) = stopped.wait() else { throw TestFailure("it was not refused") }
        #expect(error.code == .server && error.message.contains("cannot be stored yet"))
        let again = stop(server)
        recorder.tell("r") { .ended($0, .stopped) }
        #expect(again.wait() == .done)
    }

    @Test("has the state from before whatever is done after the answer, also between two ticks")
    func begins() throws {
        let recorder = NotingRecorder()
        let server = try RelayServer(recorder: recorder) { $0.tickMilliseconds = 60_000...60_000 }
        let ada = try server.client("ada")
        _ = try ada.join("r")
        let started = start(server)
        recorder.wait(for: .open(by: "ada", after: nil))
        recorder.tell("r") { .opened($0, nil) }
        #expect(started.wait() == .done)
        // In a later turn.
        #expect(try server.onShard(0) { _ in recorder.stateCount } == 1)
    }

    /// A member of a room whose home wants to go on with a recording that its last home could not end.
    private func goingOn(_ server: RelayServer, _ recorder: NotingRecorder) throws -> TestClient {
        let ada = try server.client("ada")
        _ = try ada.join("r")
        recorder.wait(for: .find("r"))
        recorder.tell("r") { _ in .interrupted("before", startedBy: "ada") }
        recorder.wait(for: .open(by: "ada", after: "before"))
        return ada
    }

    @Test("goes on with what the home before could not end, unless a member has ended it")
    func goesOn() throws {
        let recorder = NotingRecorder()
        let server = try RelayServer(recorder: recorder)
        let ada = try goingOn(server, recorder)
        recorder.tell("r") { .opened($0, RoomError(.conflict, "The recording has been ended.")) }
        let told = try #require(try ada.event("recording:stopped").first)
        #expect(told["recordingId"]?.string == "before" && told["reason"]?.string == "stopped")
        // The room can be recorded again.
        let started = start(server)
        recorder.wait(for: .open(by: "ada", after: nil))
        recorder.tell("r") { .opened($0, nil) }
        #expect(started.wait() == .done)
    }

    @Test("tells its members that another member has ended what the home before could not end")
    func stoppedMeanwhile() throws {
        let recorder = NotingRecorder()
        let server = try RelayServer(recorder: recorder)
        let ada = try server.client("ada")
        _ = try ada.join("r")
        recorder.wait(for: .find("r"))
        recorder.tell("r") { _ in .stopped("before") }
        let told = try #require(try ada.event("recording:stopped").first)
        #expect(told["recordingId"]?.string == "before" && told["reason"]?.string == "stopped")
    }

    @Test("begins anew for a member who asked before it was known whether it goes on", arguments: [true, false])
    func askedMeanwhile(hasEnded: Bool) throws {
        let recorder = NotingRecorder()
        let server = try RelayServer(recorder: recorder)
        let ada = try goingOn(server, recorder)
        defer { withExtendedLifetime(ada) {} }
        let (started, another) = (start(server), start(server))
        recorder.tell("r") { .opened($0, hasEnded ? RoomError(.conflict, "The recording has been ended.") : nil) }
        if hasEnded {
            recorder.wait(for: .open(by: "ada", after: nil))
            recorder.tell("r") { .opened($0, nil) }
            #expect(started.wait() == .done)
        } else {
            guard case .refused(let error) = started.wait() else { throw TestFailure("it was not refused") }
            #expect(error.code == .conflict)
        }
        guard case .refused(let error) = another.wait() else { throw TestFailure("it was not refused") }
        #expect(error.code == .conflict)
    }

    @Test("answers a member who asked before it was known whether it goes on, also when the room goes out of use")
    func leftMeanwhile() throws {
        let recorder = NotingRecorder()
        let server = try RelayServer(recorder: recorder)
        let ada = try goingOn(server, recorder)
        let started = start(server)
        _ = try ada.ask("room:leave", #"{"roomId":"r"}"#)
        #expect(started.wait() == .unavailable)
    }

    @Test("goes on in the next file when one is full, unless that was full within moments")
    func nextFile() throws {
        let recorder = NotingRecorder(recordsAll: true)
        let server = try RelayServer(recorder: recorder)
        let ada = try server.client("ada")
        _ = try ada.join("r")
        recorder.wait(for: .open(by: nil, after: nil))
        recorder.tell("r") { .opened($0, nil) }
        _ = try ada.event("recording:started")
        // As if it had run for an hour.
        try server.onShard(0) { relay in
            guard let home = relay.home.rooms[RoomID("r")], let recording = home.recording else { return }
            home.recording = HomeRecording(recording.told, at: recording.begunAt - 3_600_000)
            home.recording?.phase = .running
        }
        recorder.tell("r") { .ended($0, .size) }
        #expect(try ada.event("recording:stopped").first?["reason"]?.string == "size")
        recorder.wait(for: .open(by: nil, after: nil))
        recorder.tell("r") { .opened($0, nil) }
        _ = try ada.event("recording:started")
        recorder.tell("r") { .ended($0, .size) }
        #expect(try ada.event("recording:stopped").first?["reason"]?.string == "size")
        let waits = try server.onShard(0) { relay in
            relay.home.rooms[RoomID("r")].map { $0.recording == nil && $0.recordsNotBefore > relay.home.loop.now }
        }
        #expect(waits == true)
    }
}
