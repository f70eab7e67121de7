import Glibc
import Testing

@testable import Recordings

@Suite("The size of a recording")
struct RecordingSizeTests {
    private func line(_ time: Int64) -> RecordingLine {
        RecordingLine(time: time, name: "user:left", argument: Array(#"{"userId":"ada"}"#.utf8))
    }

    @Test("is that of its whole blocks, wherever the file was cut off")
    func cutOff() throws {
        let place = try Place()
        let file = try RecordingFile(
            path: place.path, head: RecordingHead(roomID: "r", startedAt: 7), bytesMax: 1 << 20)
        try file.append(line(10))
        try file.flush()
        let first = RecordingSize(byteCount: file.byteCount, milliseconds: 10)
        for time: Int64 in [20, 30] { try file.append(line(time)) }
        try file.finish()
        let whole = RecordingSize(byteCount: place.byteCount, milliseconds: 30)
        #expect(file.byteCount == whole.byteCount && file.milliseconds == 30)
        for count in stride(from: whole.byteCount, through: 0, by: -1) {
            try #require(truncate(place.path, count) == 0)
            let size = count == whole.byteCount ? whole : count >= first.byteCount ? first : RecordingSize()
            #expect(try RecordingSize.measure(place.path, cutsOff: false) == size)
            #expect(place.byteCount == count)
        }
    }

    @Test("is what is left of the file, if nobody writes it any more")
    func settled() throws {
        let place = try Place()
        let file = try RecordingFile(
            path: place.path, head: RecordingHead(roomID: "r", startedAt: 7), bytesMax: 1 << 20)
        try file.append(line(10))
        try file.flush()
        let first = file.byteCount
        try file.append(line(20))
        try file.flush()
        try #require(truncate(place.path, place.byteCount - 1) == 0)
        #expect(
            try RecordingSize.measure(place.path, cutsOff: true)
                == RecordingSize(byteCount: first, milliseconds: 10))
        #expect(place.byteCount == first)
    }

    @Test("is not known of a file that is not there")
    func missing() {
        #expect(throws: RecordingFault.self) { try RecordingSize.measure("/nowhere/x.rec", cutsOff: true) }
    }
}
