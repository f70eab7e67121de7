import Glibc
import Recordings
import Store
import TestSupport
import Testing

@testable import Recorder

@Suite("The directory of recordings", .timeLimit(.minutes(1)))
struct RecordingFolderTests {
    private let here = ClusterNode(id: 0, boot: 1)

    private func write(_ bytes: [UInt8], _ path: String, ageSeconds: Int) throws {
        let descriptor = open(path, O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, 0o600)
        try #require(descriptor >= 0)
        defer { close(descriptor) }
        try #require(Glibc.write(descriptor, bytes, bytes.count) == bytes.count)
        var then = timespec()
        clock_gettime(CLOCK_REALTIME, &then)
        then.tv_sec -= ageSeconds
        try #require(futimens(descriptor, [then, then]) == 0)
    }

    @Test("keeps what the server has not made, and loses what it had only begun")
    func strayFiles() async throws {
        let scratch = try Scratch()
        let store = try DatabaseStore(.memory)
        defer { store.close() }
        let row = Recording(id: "known", room: "r", starter: "ann", writer: here, startedAt: 1_000)
        try await withCheckedThrowingContinuation { continuation in
            store.beginRecording(row, fence: nil) { continuation.resume(with: $0) }
        }
        for id in ["known", "begun"] { try write([], "\(scratch.path)/\(id).rec", ageSeconds: 7_200) }
        try write([], scratch.path + "/young.rec", ageSeconds: 0)
        // A copy of the operator's, and a recording whose row was lost with the store.
        for name in ["copy.rec", "of-another-store.rec", "notes.txt"] {
            try write(Array("x".utf8), "\(scratch.path)/\(name)", ageSeconds: 7_200)
        }
        let library = try library(scratch, store)
        await library.deleteStrayFiles()
        library.stop()
        let left = ["known.rec", "begun.rec", "young.rec", "copy.rec", "of-another-store.rec", "notes.txt"].filter {
            access(scratch.path + "/" + $0, F_OK) == 0
        }
        #expect(left == ["known.rec", "young.rec", "copy.rec", "of-another-store.rec", "notes.txt"])
    }

    private func library(_ scratch: Scratch, _ store: DatabaseStore) throws -> RecordingLibrary {
        try RecordingLibrary(
            try RecordingFolder(scratch.path, freeBytesMin: 0), store, writer: here, limits: RecordingLimits(),
            patterns: []
        ) { _ in }
    }

    @Test("the room on its disk is known from the start")
    func freeBytes() throws {
        let scratch = try Scratch()
        let store = try DatabaseStore(.memory)
        defer { store.close() }
        let library = try library(scratch, store)
        let free = library.totals.reading.freeBytes
        library.stop()
        #expect(try #require(free) > 0)
    }

    @Test("gives whole blocks, of one that has ended as many as its row says")
    func wholeBlocks() throws {
        let scratch = try Scratch()
        let folder = try RecordingFolder(scratch.path, freeBytesMin: 0)
        let file = try RecordingFile(
            path: scratch.path + "/rec.rec", head: RecordingHead(roomID: "r", startedAt: 7), bytesMax: 1 << 20)
        try file.flush()
        let first = file.byteCount
        try file.append(RecordingLine(time: 5, name: "user:left", argument: Array("{}".utf8)))
        try file.flush()
        let whole = file.byteCount
        let descriptor = open(scratch.path + "/rec.rec", O_WRONLY | O_APPEND | O_CLOEXEC)
        try #require(descriptor >= 0)
        defer { close(descriptor) }
        try #require(Glibc.write(descriptor, RecordingBlock.packed([65]), 25) == 25)
        func size(noted: Int, isSettled: Bool) throws -> Int? {
            let row = Recording(
                id: "rec", room: "r", starter: nil, writer: here, startedAt: 7,
                extent: RecordingExtent(bytes: Int64(noted), milliseconds: 0), isSettled: isSettled)
            let opened = try folder.open(row)
            if let opened { close(opened.descriptor) }
            return opened?.byteCount
        }
        for noted in [0, first, whole] { #expect(try size(noted: noted, isSettled: false) == whole) }
        #expect(try size(noted: first, isSettled: true) == first)
        #expect(try size(noted: whole, isSettled: true) == whole)
        // Less of it may be there than the row says.
        #expect(try size(noted: whole + 100, isSettled: true) == whole)
    }
}
