import Glibc
import Recordings
import Relay
import Rooms
import Store
import TestSupport
import Testing
import Threads
import Wire

@testable import Recorder

/// Keeps what a home is told.
private final class HomeMailbox: RelayMailbox {
    private let news = Monitor<[RecordingNews]>([])
    let isEmpty = true

    func post(_ message: RelayMessage) -> Bool { insist(message) }

    @discardableResult
    func insist(_ message: RelayMessage) -> Bool {
        guard case .home(_, .recording(let told)) = message else { return false }
        news.withLock { all in all.append(told) }
        news.notify()
        return true
    }

    /// Waits until a recording may begin; gives the reason when it may not.
    func waitForBegin() -> RoomError? {
        switch wait({ if case .opened = $0 { true } else { false } }) {
        case .opened(_, let error): error
        default: nil
        }
    }

    func waitForEnd() -> RecordingEnd? {
        switch wait({ if case .ended = $0 { true } else { false } }) {
        case .ended(_, let reason): reason
        default: nil
        }
    }

    func waitForInterrupted() -> String? {
        switch wait({ if case .interrupted = $0 { true } else { false } }) {
        case .interrupted(let recording, _): recording
        default: nil
        }
    }

    func waitForPlace() { _ = wait { if case .hasPlace = $0 { true } else { false } } }

    private func wait(_ isWanted: (RecordingNews) -> Bool) -> RecordingNews {
        news.wait { told in
            guard let index = told.firstIndex(where: isWanted) else { return .again(at: nil) }
            return .done(told.remove(at: index))
        }
    }
}

@Suite("The writer of recordings", .timeLimit(.minutes(1)))
struct RecordingWriterTests {
    private let told = RoomRecording(id: "rec", startedAt: 1_760_000_000_000, startedBy: "ada")

    private func withWriter(
        _ change: (inout RecordingLimits) -> Void = { _ in },
        _ body: (RecordingWriter, HomeMailbox, DatabaseStore, String) async throws -> Void
    ) async throws {
        let scratch = try Scratch()
        var limits = RecordingLimits()
        change(&limits)
        let store = try DatabaseStore(.memory)
        defer { store.close() }
        let writer = RecordingWriter(
            try RecordingFolder(scratch.path, freeBytesMin: 0), store, writer: ClusterNode(id: 0, boot: 1),
            limits: limits, patterns: []
        ) { _ in }
        defer { writer.stop() }
        try await body(writer, HomeMailbox(), store, scratch.path + "/rec.rec")
    }

    private func row(_ store: DatabaseStore) async throws -> Recording? {
        try await withCheckedThrowingContinuation { continuation in
            store.recording("rec") { continuation.resume(with: $0) }
        }
    }

    private func delta(_ room: inout Room, _ name: String) throws -> RoomDelta {
        _ = try room.join(
            ConnectionID(shard: 0, number: UInt64(name.utf8.count)), Person(id: name, profile: Array("{}".utf8)),
            at: Moment(monotonic: 0, unixSeconds: 0))
        let made = room.takeDelta()
        return try #require(made)
    }

    private func names(_ path: String) throws -> [String] {
        let reader = try RecordingReader(path: path)
        var names: [String] = []
        while let line = try reader.next() { names.append(line.name) }
        return names
    }

    @Test("runs a bounded number for each user, and goes on with those that have lost their home")
    func bound() async throws {
        try await withWriter {
            $0.openOfStarterMax = 1
        } _: { writer, home, _, _ in
            #expect(writer.start())
            func begin(_ id: String, by starter: String?, after previous: String? = nil) -> RoomError? {
                let told = RoomRecording(id: id, startedAt: 1_760_000_000_000, startedBy: starter)
                writer.open(told, of: RoomID("r-\(id)"), after: previous, fence: nil, for: home)
                return home.waitForBegin()
            }
            #expect(begin("rec", by: "ada") == nil)
            #expect(begin("two", by: "ada")?.code == .conflict)
            #expect(begin("ben", by: "ben") == nil)
            for id in ["own", "own2"] { #expect(begin(id, by: nil) == nil) }
            // The store knows none that this one could go on from; it is asked, so the bound has not refused it.
            #expect(begin("next", by: "ada", after: "lost")?.message == "The recording has been ended.")
            writer.end("rec", reason: .stopped)
            #expect(home.waitForEnd() == .stopped)
            #expect(begin("two", by: "ada") == nil)
        }
    }

    @Test("leaves out what does not fit, says when there is place, and goes on with the whole state")
    func gap() async throws {
        try await withWriter {
            $0.waitingBytesMax = 1
        } _: { writer, home, store, path in
            var room = Room(id: "r", info: Array("{}".utf8), limits: RoomLimits())
            writer.open(told, of: RoomID("r"), after: nil, fence: nil, for: home)
            let first = try delta(&room, "a")
            let isFirstTaken = writer.write(.state(room.state(), room.snapshot(), at: 0), of: "rec")
            #expect(isFirstTaken)
            // Nothing was written yet, so there is no place.
            let isSecondTaken = writer.write(.delta(try delta(&room, "bb"), at: 5), of: "rec")
            #expect(!isSecondTaken)
            #expect(first.tick < room.lastTick && writer.totals.reading.refused == 1)
            #expect(writer.start())
            #expect(home.waitForBegin() == nil)
            home.waitForPlace()
            let isStateTaken = writer.write(.state(room.state(), room.snapshot(), at: 10), of: "rec")
            #expect(isStateTaken)
            writer.end("rec", reason: .stopped)
            #expect(home.waitForEnd() == .stopped)
            #expect(try names(path) == ["recording", "room:joined", "room:joined"])
            let row = try #require(try await row(store))
            #expect(row.reason == .stopped && row.extent.milliseconds == 10 && row.starter == "ada")
            #expect(writer.totals.reading.ends == [.stopped: 1] && writer.totals.reading.running == 0)
        }
    }

    @Test("ends a recording at its size, and tells the home")
    func size() async throws {
        try await withWriter {
            $0.fileBytesMax = 10
        } _: { writer, home, store, path in
            #expect(writer.start())
            writer.open(told, of: RoomID("r"), after: nil, fence: nil, for: home)
            #expect(home.waitForEnd() == .size)
            let row = try #require(try await row(store))
            #expect(row.reason == .size && row.extent == RecordingExtent())
        }
    }

    @Test("ends what runs as interrupted when the server stops, and takes nothing afterwards")
    func stop() async throws {
        try await withWriter { writer, home, store, path in
            #expect(writer.start())
            writer.open(told, of: RoomID("r"), after: nil, fence: nil, for: home)
            #expect(home.waitForBegin() == nil)
            var room = Room(id: "r", info: Array("{}".utf8), limits: RoomLimits())
            let isTaken = writer.write(.delta(try delta(&room, "a"), at: 3), of: "rec")
            #expect(isTaken)
            writer.stop()
            #expect(try names(path) == ["recording", "user:joined"])
            let row = try #require(try await row(store))
            #expect(row.reason == .interrupted && row.extent.bytes > 0)
            let isLateTaken = writer.write(.delta(try delta(&room, "bb"), at: 4), of: "rec")
            #expect(!isLateTaken)
            writer.open(told, of: RoomID("r"), after: nil, fence: nil, for: home)
            #expect(home.waitForBegin()?.code == .shuttingDown)
        }
    }

    @Test("does not go on with a recording that somebody has ended")
    func ended() async throws {
        try await withWriter { writer, home, store, path in
            let before = Recording(
                id: "before", room: "r", starter: "ada", writer: ClusterNode(id: 7, boot: 1), startedAt: 1_000)
            try await withCheckedThrowingContinuation { continuation in
                store.beginRecording(before, fence: nil) { continuation.resume(with: $0) }
            }
            try await withCheckedThrowingContinuation { continuation in
                store.stopRecording("before", at: 2_000) { continuation.resume(with: $0) }
            }
            #expect(writer.start())
            writer.open(told, of: RoomID("r"), after: "before", fence: nil, for: home)
            #expect(home.waitForBegin()?.code == .conflict)
            #expect(try await row(store) == nil)
            #expect(access(path, F_OK) != 0)
        }
    }

    @Test("finds a recording that was interrupted, behind the ends that were given before")
    func interrupted() async throws {
        try await withWriter { writer, home, store, path in
            writer.open(told, of: RoomID("r"), after: nil, fence: nil, for: home)
            writer.end("rec", reason: .interrupted)
            writer.findInterrupted(of: RoomID("r"), for: home)
            #expect(writer.start())
            #expect(home.waitForInterrupted() == "rec")
        }
    }

    @Test("says why a recording cannot begin where there is no directory")
    func nowhere() async throws {
        try await withWriter { writer, home, store, path in
            let directory = writer.folder.directory
            try #require(rmdir(directory) == 0)
            defer { mkdir(directory, 0o700) }
            #expect(writer.start())
            writer.open(told, of: RoomID("r"), after: nil, fence: nil, for: home)
            #expect(home.waitForBegin()?.code == .server)
            #expect(try await row(store) == nil)
        }
    }
}
