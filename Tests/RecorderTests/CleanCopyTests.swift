import Glibc
import Recordings
import Store
import TestSupport
import Testing
import Wire

@testable import Recorder

/// Files of recordings from before their lines were clean.
@Suite("Clean copies of recordings", .timeLimit(.minutes(1)))
struct CleanCopyTests {
    private static let user = #"{"id":"1","email":"a@b.c","dateOfBirth":"1990-01-02T00:00:00Z"}"#
    private let scratch: Scratch
    private let folder: RecordingFolder

    init() throws {
        scratch = try Scratch()
        folder = try RecordingFolder(scratch.path, freeBytesMin: 0)
    }

    private func recording(bytes: Int, isSettled: Bool = true) -> Recording {
        Recording(
            id: "rec", room: "r", starter: nil, writer: ClusterNode(id: 0, boot: 1), startedAt: 7,
            extent: RecordingExtent(bytes: Int64(bytes), milliseconds: 5), isSettled: isSettled)
    }

    /// A file as earlier versions wrote it: the head and the first events in one block.
    private func writeOldFile() throws -> Int {
        var content: [UInt8] = []
        RecordingHead(roomID: "r", startedAt: 7, isClean: false).line.append(to: &content)
        let state = #"{"participants":[{"user":\#(Self.user)}],"elements":[{"content":"kept"}]}"#
        RecordingLine(time: 1, name: "room:joined", argument: Array(state.utf8)).append(to: &content)
        var bytes = RecordingBlock.packed(content)
        content = []
        let joined = Array(#"{"user":\#(Self.user)}"#.utf8)
        RecordingLine(time: 5, name: "user:joined", argument: joined).append(to: &content)
        bytes += RecordingBlock.packed(content)
        let descriptor = open(scratch.path + "/rec.rec", O_CREAT | O_WRONLY | O_TRUNC, 0o640)
        defer { close(descriptor) }
        // A server that was taken for dead writes on.
        #expect(write(descriptor, bytes + bytes, 2 * bytes.count) == 2 * bytes.count)
        return bytes.count
    }

    private func delivered(_ copies: CleanCopies, _ recording: Recording) throws -> [String] {
        let file = try #require(try folder.open(recording))
        let given = try copies.open(recording, file)
        let reader = try RecordingReader(path: "", given.descriptor, byteCount: given.byteCount)
        var lines: [String] = []
        while let line = try reader.next() { lines.append(line.name + String(decoding: line.argument, as: UTF8.self)) }
        return lines
    }

    private var names: Set<String> {
        let copies = RecordingFolder(unmade: scratch.path + "/clean", freeBytesMin: 0)
        return Set(copies.ids(most: 9) { _ in true })
    }

    @Test("are delivered in place of files that are not clean, up to the settled end")
    func clean() throws {
        let copies = CleanCopies(beside: folder)
        let recording = recording(bytes: try writeOldFile())
        let shown = #"{"id":"1","email":"","dateOfBirth":"1970-01-01T00:00:00Z"}"#
        for _ in 1...2 {
            #expect(
                try delivered(copies, recording) == [
                    #"recording{"version":1,"roomId":"r","startedAt":7,"isClean":true}"#,
                    #"room:joined{"participants":[{"user":\#(shown)}],"elements":[{"content":"kept"}]}"#,
                    #"user:joined{"user":\#(shown)}"#,
                ])
            #expect(names == ["rec"])
        }
        copies.remove(usedBefore: 0)
        #expect(names == ["rec"])
        copies.remove(usedBefore: .max)
        #expect(names == [])
        _ = try delivered(copies, recording)
        try copies.remove("rec")
        #expect(names == [])
        try copies.remove("rec")
    }

    @Test("are not made of clean files, nor of those whose end nobody knows")
    func others() throws {
        let copies = CleanCopies(beside: folder)
        let old = recording(bytes: try writeOldFile(), isSettled: false)
        #expect(throws: RecordingFault.notSettled("rec")) { try delivered(copies, old) }
        unlink(scratch.path + "/rec.rec")
        let file = try RecordingFile(
            path: scratch.path + "/rec.rec", head: RecordingHead(roomID: "r", startedAt: 7), bytesMax: 1 << 20)
        try file.append(RecordingLine(time: 1, name: "user:joined", argument: Array(#"{"user":{"id":"1"}}"#.utf8)))
        try file.finish()
        #expect(try delivered(copies, recording(bytes: file.byteCount)).count == 2)
        #expect(names == [])
    }

    @Test("leave nothing behind of a file that is damaged")
    func damaged() throws {
        let copies = CleanCopies(beside: folder)
        let count = try writeOldFile()
        let descriptor = open(scratch.path + "/rec.rec", O_WRONLY)
        #expect(pwrite(descriptor, [0, 0, 0, 0], 4, off_t(count) - 12) == 4)
        close(descriptor)
        #expect(throws: RecordingFault.self) { try delivered(copies, recording(bytes: count)) }
        #expect(names == [])
    }
}
