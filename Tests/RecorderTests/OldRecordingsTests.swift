import Foundation
import Glibc
import Recordings
import Store
import TestSupport
import Testing
import Wire

@testable import Recorder

/// Files of recordings from before their lines were clean.
@Suite("Recordings of an earlier version", .timeLimit(.minutes(1)))
struct OldRecordingsTests {
    private static let user = #"{"id":"1","email":"a@b.c","dateOfBirth":"1990-01-02T00:00:00Z"}"#
    private let scratch: Scratch
    private let folder: RecordingFolder

    init() throws {
        scratch = try Scratch()
        folder = try RecordingFolder(scratch.path, freeBytesMin: 0)
    }

    private func recording(bytes: Int) -> Recording {
        Recording(
            id: "rec", room: "r", starter: nil, writer: ClusterNode(id: 0, boot: 1), startedAt: 7,
            extent: RecordingExtent(bytes: Int64(bytes), milliseconds: 5), isSettled: true)
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

    private func lines() throws -> [String] {
        let reader = try RecordingReader(path: scratch.path + "/rec.rec")
        var lines: [String] = []
        while let line = try reader.next() { lines.append(line.name + String(decoding: line.argument, as: UTF8.self)) }
        return lines
    }

    private func names() throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: scratch.path).sorted()
    }

    @Test("are made clean in their place, up to the settled end")
    func clean() throws {
        let old = OldRecordings(in: folder)
        let recording = recording(bytes: try writeOldFile())
        #expect(old.find() == ["rec"])
        let clean = try #require(try old.copy(recording))
        // Until the whole of it is there, the file is the old one.
        #expect(try old.find() == ["rec"] && names().count == 2)
        try clean.takePlace()
        let shown = #"{"id":"1","email":"","dateOfBirth":"1970-01-01T00:00:00Z"}"#
        #expect(
            try lines() == [
                #"recording{"version":1,"roomId":"r","startedAt":7,"isClean":true}"#,
                #"room:joined{"participants":[{"user":\#(shown)}],"elements":[{"content":"kept"}]}"#,
                #"user:joined{"user":\#(shown)}"#,
            ])
        let size = try RecordingSize.measure(scratch.path + "/rec.rec", cutsOff: false)
        #expect(clean.extent == RecordingExtent(size) && clean.extent.milliseconds == 5)
        #expect(try names() == ["rec.rec"])
        #expect(old.find() == [])
        let again = try old.copy(recording)
        #expect(again == nil)
    }

    @Test("stay as they are when there is no room, when they are damaged, and when the server ends")
    func failing() throws {
        let count = try writeOldFile()
        let full = OldRecordings(in: try RecordingFolder(scratch.path, freeBytesMin: .max / 2))
        #expect(throws: RecordingFault.file(scratch.path + "/rec.rec", ENOSPC)) {
            try full.copy(recording(bytes: count))
        }
        let ending = OldRecordings(in: folder)
        ending.stop()
        #expect(throws: RecordingFault.self) { try ending.copy(recording(bytes: count)) }
        let descriptor = open(scratch.path + "/rec.rec", O_WRONLY)
        #expect(pwrite(descriptor, [0, 0, 0, 0], 4, off_t(count) - 12) == 4)
        close(descriptor)
        #expect(throws: RecordingFault.self) { try OldRecordings(in: folder).copy(recording(bytes: count)) }
        #expect(try names() == ["rec.rec"])
    }

    @Test("of which a server that was killed has left a part have nothing left of it after an hour")
    func left() throws {
        let count = try writeOldFile()
        let (old, parts) = (OldRecordings(in: folder), { try self.names().filter { $0.hasSuffix(".part") } })
        _ = try #require(try old.copy(recording(bytes: count)))
        _ = old.find()
        let part = try #require(try parts().first)
        var times = [timeval(tv_sec: time(nil) - 4_000, tv_usec: 0), timeval(tv_sec: time(nil) - 4_000, tv_usec: 0)]
        #expect(utimes(scratch.path + "/" + part, &times) == 0)
        #expect(old.find() == ["rec"])
        #expect(try parts() == [])
    }
}
