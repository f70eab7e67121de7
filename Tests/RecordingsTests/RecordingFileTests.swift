import Glibc
import TestSupport
import Testing

@testable import Recordings

/// A path in a directory of its own, which is removed with it.
final class Place {
    private let scratch: Scratch
    var path: String { scratch.path + "/room.rec" }

    init() throws { scratch = try Scratch() }

    /// A new recording of the room `r`.
    func recording(bytesMax: Int = 1 << 20) throws -> RecordingFile {
        try RecordingFile(path: path, head: RecordingHead(roomID: "r", startedAt: 7), bytesMax: bytesMax)
    }

    var byteCount: Int {
        var size = stat()
        return stat(path, &size) == 0 ? Int(size.st_size) : -1
    }
}

private let head = RecordingHead(roomID: "r \"1\"", startedAt: 1_700_000_000_123)

private func line(_ number: Int, filler: Int = 0) -> RecordingLine {
    RecordingLine(
        time: Int64(number), name: "element:created",
        argument: Array(#"{"n":\#(number),"text":"\#(String(repeating: "x", count: filler))"}"#.utf8))
}

private func read(_ path: String) throws -> [RecordingLine] {
    let reader = try RecordingReader(path: path)
    var lines: [RecordingLine] = []
    while let line = try reader.next() { lines.append(line) }
    return lines
}

@Suite("The file of a recording")
struct RecordingFileTests {
    @Test("gives back its lines, in all of its blocks")
    func roundTrip() throws {
        let place = try Place()
        let file = try RecordingFile(path: place.path, head: head, bytesMax: 1 << 20)
        let lines = (1...300).map { line($0, filler: 1_000) }
        for line in lines { try file.append(line) }
        try file.flush()
        #expect(file.byteCount == place.byteCount && file.milliseconds == 300)
        #expect(try read(place.path) == [head.line] + lines)
        #expect(try RecordingReader(path: place.path).head == head)
    }

    @Test("has white space between values in one line")
    func lineFeeds() throws {
        let place = try Place()
        let file = try RecordingFile(path: place.path, head: head, bytesMax: 1 << 20)
        try file.append(RecordingLine(time: 1, name: "touch:batch", argument: Array("{\n\"a\":[1,\n2]}".utf8)))
        try file.flush()
        #expect(try read(place.path).last?.argument == Array("{ \"a\":[1, 2]}".utf8))
    }

    @Test("has nobody's e-mail address or date of birth, wherever a user stands in an event")
    func people() throws {
        let place = try Place()
        let file = try RecordingFile(path: place.path, head: head, bytesMax: 1 << 20)
        let named = #""username":"ann","firstName":"Ann","#
        let end = #""avatarUrl":"u","createdAt":"t"}"#
        let birth = #""dateOfBirth":"1990-01-02T00:00:00Z","phone":"+4912345","#
        let user = #"{"id":"1","auth0Id":"1","email":"a@b.c",\#(named)\#(birth)\#(end)"#
        let shown = #"{"id":"1","auth0Id":"1","email":"",\#(named)"dateOfBirth":"1970-01-01T00:00:00Z",\#(end)"#
        let events = [
            ("user:joined", #"{"roomId":"r","user":USER,"slot":1}"#),
            ("participant:added", #"{"roomId":"r","participant":{"userId":"1","user":USER}}"#),
            (
                "room:joined",
                #"{"room":{"creator":USER,"participants":[{"user":USER},{"user":USER}]},"participants":[{"user":USER}],"#
                    + #""elements":[{"content":"write to a@b.c","email":1}],"seq":2.50}"#
            ),
            ("an:event", #"[[{"user":USER}],{"user":null},{"user":"a"}]"#),
        ]
        for (name, argument) in events {
            let told = argument.replacing("USER", with: user)
            try file.append(RecordingLine(time: 1, name: name, argument: Array(told.utf8)))
        }
        // What cannot be read cannot be cleaned.
        try file.append(RecordingLine(time: 1, name: "user:joined", argument: Array(#"{"user":"#.utf8)))
        try file.flush()
        let lines = try read(place.path).dropFirst()
        #expect(lines.map(\.name) == events.map(\.0))
        #expect(
            lines.map { String(decoding: $0.argument, as: UTF8.self) }
                == events.map { $0.1.replacing("USER", with: shown) })
    }

    @Test("says of itself, in its first block, whether it is clean")
    func isClean() throws {
        for isClean in [true, false] {
            let place = try Place()
            let head = RecordingHead(roomID: "r", startedAt: 7, isClean: isClean)
            let file = try RecordingFile(path: place.path, head: head, bytesMax: 1 << 20)
            let descriptor = open(place.path, O_RDONLY)
            defer { close(descriptor) }
            #expect(try RecordingReader.isClean("", descriptor))
            try file.append(line(1, filler: 100_000))
            try file.flush()
            #expect(try RecordingReader.isClean("", descriptor) == isClean)
            #expect(try RecordingReader(path: place.path).head == head)
        }
    }

    @Test("can be read up to the last whole block, wherever it was cut off")
    func cutOff() throws {
        let place = try Place()
        let file = try RecordingFile(path: place.path, head: head, bytesMax: 1 << 20)
        try file.append(line(1))
        try file.flush()
        let whole = file.byteCount
        try file.append(line(2))
        try file.flush()
        for length in [file.byteCount - 1, whole + RecordingBlock.headByteCount, whole + 1, whole] {
            #expect(truncate(place.path, off_t(length)) == 0)
            #expect(try read(place.path) == [head.line, line(1)])
            let reader = try RecordingReader(path: place.path)
            while try reader.next() != nil {}
            #expect(reader.isCutOff == (length != whole))
        }
    }

    @Test("never becomes larger than it may be, and ends with a whole block")
    func bytesMax() throws {
        let place = try Place()
        let file = try RecordingFile(path: place.path, head: head, bytesMax: 2_000)
        var number = 0
        while !file.isFull {
            number += 1
            try file.append(line(number))
            try file.flush()
        }
        #expect(place.byteCount <= 2_000 && place.byteCount > 1_500)
        try file.append(line(0))
        try file.flush()
        #expect(try read(place.path).count == number)
    }

    @Test("does not replace a file")
    func exclusive() throws {
        let place = try Place()
        _ = try RecordingFile(path: place.path, head: head, bytesMax: 1_000)
        #expect(throws: RecordingFault.file(place.path, EEXIST)) {
            _ = try RecordingFile(path: place.path, head: head, bytesMax: 1_000)
        }
    }

    @Test("is refused when it is none, or damaged")
    func damaged() throws {
        let place = try Place()
        let file = try RecordingFile(path: place.path, head: head, bytesMax: 1_000)
        try file.flush()
        let first = file.byteCount
        try file.append(line(1))
        try file.flush()
        var bytes = [UInt8](repeating: 0, count: file.byteCount)
        let descriptor = open(place.path, O_RDWR)
        defer { close(descriptor) }
        #expect(pread(descriptor, &bytes, bytes.count, 0) == bytes.count)
        // A byte of the content, then one of the head.
        for (damage, fault) in [
            (bytes.count - 10, RecordingFault.damaged(place.path, at: first)), (1, .notARecording(place.path)),
        ] {
            var byte = bytes[damage] ^ 0xff
            #expect(pwrite(descriptor, &byte, 1, off_t(damage)) == 1)
            #expect(throws: fault) { try read(place.path) }
        }
    }

    @Test(
        "has lines that are an array of a time, a name and an argument",
        arguments: [
            "", "[]", "[1]", #"[1,"a"]"#, #"[1,"a",{},2]"#, #"[-1,"a",{}]"#, #"["1","a",{}]"#, #"[1,2,{}]"#,
            #"[1,"a",{}"#,
        ])
    func lines(_ text: String) {
        #expect(RecordingLine(Array(text.utf8)) == nil)
        #expect(RecordingLine(Array(#"[1,"a",{}]"#.utf8)) == RecordingLine(time: 1, name: "a", argument: [123, 125]))
    }
}
