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
        let file = try place.recording()
        try file.flush()
        let head = RecordingSize(byteCount: file.byteCount, milliseconds: 0)
        try file.append(line(10))
        try file.flush()
        let first = RecordingSize(byteCount: file.byteCount, milliseconds: 10)
        for time: Int64 in [20, 30] { try file.append(line(time)) }
        try file.finish()
        let whole = RecordingSize(byteCount: place.byteCount, milliseconds: 30)
        #expect(file.byteCount == whole.byteCount && file.milliseconds == 30)
        for count in stride(from: whole.byteCount, through: 0, by: -1) {
            try #require(truncate(place.path, count) == 0)
            let size = [whole, first, head].first { count >= $0.byteCount } ?? RecordingSize()
            #expect(try RecordingSize.measure(place.path, cutsOff: false) == size)
            #expect(place.byteCount == count)
        }
    }

    @Test("is what is left of the file, if nobody writes it any more")
    func settled() throws {
        let place = try Place()
        let file = try place.recording()
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

    @Test("leaves out blocks that a loss of power has damaged")
    func damaged() throws {
        let place = try Place()
        let file = try place.recording()
        var ends: [Int] = []
        for time: Int64 in [10, 20, 30] {
            try file.append(line(time))
            try file.flush()
            ends.append(file.byteCount)
        }
        let descriptor = open(place.path, O_WRONLY | O_CLOEXEC)
        try #require(descriptor >= 0)
        defer { close(descriptor) }
        for end in ends.dropFirst() {
            #expect(pwrite(descriptor, [UInt8](repeating: 0, count: 20), 20, off_t(end - 20)) == 20)
        }
        #expect(
            try RecordingSize.measure(place.path, cutsOff: true)
                == RecordingSize(byteCount: ends[0], milliseconds: 10))
        #expect(place.byteCount == ends[0])
    }

    @Test("of a file that grows is that of its whole blocks, from any of them on")
    func growing() throws {
        let place = try Place()
        let file = try place.recording()
        try file.append(line(10))
        try file.flush()
        let first = file.byteCount
        try file.append(line(20))
        try file.flush()
        let descriptor = open(place.path, O_RDWR | O_CLOEXEC)
        try #require(descriptor >= 0)
        defer { close(descriptor) }
        func size(from place: Int) throws -> Int { try RecordingSize.wholeBytes("file", of: descriptor, from: place) }
        for start in [0, first, file.byteCount, file.byteCount + 1] { #expect(try size(from: start) == file.byteCount) }
        try #require(ftruncate(descriptor, off_t(file.byteCount - 1)) == 0)
        for start in [0, first, file.byteCount] { #expect(try size(from: start) == first) }
    }

    @Test("is not known of a file that is not there")
    func missing() {
        #expect(throws: RecordingFault.self) { try RecordingSize.measure("/nowhere/x.rec", cutsOff: true) }
    }
}
