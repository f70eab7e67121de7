import Glibc
import Testing

@testable import Recordings

@Suite("A piece of a recording")
struct RecordingPieceTests {
    private func line(_ time: Int64, _ byteCount: Int = 0) -> RecordingLine {
        // Not to be compressed.
        var random = SystemRandomNumberGenerator()
        let noise = (0..<byteCount).map { _ in UInt8.random(in: 0x41...0x5a, using: &random) }
        return RecordingLine(
            time: time, name: "user:left", argument: Array("\"".utf8) + noise + Array("\"".utf8))
    }

    @Test("has whole blocks, and as many as it may have")
    func pieces() throws {
        let place = try Place()
        let file = try place.recording(bytesMax: 1 << 30)
        for time in 1...30 { try file.append(line(Int64(time), 20_000)) }
        try file.flush()
        // A block that is larger is a piece of its own.
        try file.append(line(100, 300_000))
        try file.flush()
        let descriptor = open(place.path, O_RDWR | O_CLOEXEC)
        try #require(descriptor >= 0)
        defer { close(descriptor) }
        var (pieces, bytes): ([RecordingPiece], [UInt8]) = ([], [])
        while let next = try RecordingPiece.read(place.path, of: descriptor, from: bytes.count, bytesMax: 200_000) {
            #expect(next.piece.place == bytes.count && next.piece.byteCount == next.bytes.count)
            pieces.append(next.piece)
            bytes += next.bytes
        }
        #expect(bytes.count == place.byteCount && pieces.count > 2)
        #expect(pieces.dropLast().allSatisfy { $0.byteCount <= 200_000 })
        #expect(pieces.last?.milliseconds == 100)
        #expect(pieces.whole == RecordingSize(byteCount: place.byteCount, milliseconds: 100))
        try #require(ftruncate(descriptor, off_t(place.byteCount - 1)) == 0)
        let cut = try #require(pieces.last).place
        #expect(try RecordingPiece.read(place.path, of: descriptor, from: cut) == nil)
    }

    @Test("is none past the end of a file that has lost blocks")
    func pastTheEnd() throws {
        let place = try Place()
        let file = try place.recording(bytesMax: 1 << 30)
        try file.append(line(1))
        try file.flush()
        let descriptor = open(place.path, O_RDONLY | O_CLOEXEC)
        try #require(descriptor >= 0)
        defer { close(descriptor) }
        let past = place.byteCount + 1
        #expect(try RecordingPiece.read(place.path, of: descriptor, from: past)?.piece == nil)
    }

    @Test("counts when no gap is before it")
    func gaps() {
        func piece(_ place: Int, _ count: Int) -> RecordingPiece {
            RecordingPiece(place: place, byteCount: count, milliseconds: Int64(place + count))
        }
        #expect([RecordingPiece]().whole == RecordingSize())
        #expect([piece(1, 5)].whole == RecordingSize())
        #expect([piece(0, 5), piece(5, 5), piece(11, 5)].whole == RecordingSize(byteCount: 10, milliseconds: 10))
        // It was sent twice, and had grown.
        #expect([piece(0, 5), piece(0, 9), piece(9, 1)].whole == RecordingSize(byteCount: 10, milliseconds: 10))
    }
}
