import Testing

@testable import Wire

@Suite("Compressed contents")
struct ContentCodingTests {
    private func gunzip(_ bytes: [UInt8], most: Int = 1 << 20, pieces: Int = 7) throws -> [UInt8] {
        let stream = GunzipStream(bytesMax: most)
        var rest = bytes[...]
        while !rest.isEmpty {
            try rest.prefix(pieces).withUnsafeBytes { try stream.take($0) }
            rest = rest.dropFirst(pieces)
        }
        return try stream.finish()
    }

    @Test("are the same again, in pieces of any size", arguments: [1, 7, 1 << 20])
    func same(pieces: Int) throws {
        let texts: [[UInt8]] = [
            [], [0], Array("Hello".utf8), Array(repeating: 7, count: 9_000),
            (0..<100_000).map { _ in UInt8.random(in: 0...63) },
        ]
        for text in texts {
            for level in [Int32(1), 9] {
                #expect(try gunzip(Gzip.compressed(text, level: level), pieces: pieces) == text)
            }
        }
    }

    @Test("become no larger than they may, and no more than a hundred times as large")
    func bounds() throws {
        let text = Array("abcdefghij".utf8)
        let bytes = Gzip.compressed(text)
        #expect(try gunzip(bytes, most: 10) == text)
        #expect(throws: GunzipStream.Fault.tooLarge) { try gunzip(bytes, most: 9) }
        let bomb = Gzip.compressed([UInt8](repeating: 0, count: 10 << 20), level: 9)
        #expect(bomb.count < 11_000)
        #expect(throws: GunzipStream.Fault.tooLarge) { try gunzip(bomb, most: 100 << 20) }
        #expect(throws: GunzipStream.Fault.tooLarge) { try gunzip(bomb, most: 64 << 10, pieces: 1 << 20) }
        // What grows too much is not kept.
        let stream = GunzipStream(bytesMax: 100 << 20)
        #expect(throws: GunzipStream.Fault.tooLarge) { try bomb.withUnsafeBytes { try stream.take($0) } }
        #expect(stream.content.count <= 100 * bomb.count + (32 << 10))
    }

    @Test("that are damaged, cut short or followed by something are refused")
    func damaged() throws {
        let bytes = Gzip.compressed(Array("Hello, Hello, Hello".utf8))
        for count in 0..<bytes.count {
            #expect(throws: GunzipStream.Fault.malformed) { try gunzip(Array(bytes.prefix(count))) }
        }
        #expect(throws: GunzipStream.Fault.malformed) { try gunzip(bytes + [0]) }
        #expect(throws: GunzipStream.Fault.malformed) { try gunzip(bytes + bytes) }
        #expect(throws: GunzipStream.Fault.malformed) { try gunzip(Array("{}".utf8)) }
        for index in 0..<bytes.count where ![3, 4, 5, 6, 7, 8, 9].contains(index) {
            var wrong = bytes
            wrong[index] ^= 0x41
            #expect(throws: GunzipStream.Fault.self) { try gunzip(wrong) }
        }
    }

    @Test(
        "are sent to those who take them",
        arguments: [
            ("gzip", true), ("gzip, deflate, br", true), ("GZIP;q=0.5", true), ("*", true), ("br;q=1, *;q=0.1", true),
            ("x-gzip", true), ("deflate", false), ("", false), ("gzip;q=0", false), ("gzip;q=0.000, *", false),
            ("*;q=0", false), ("identity", false), ("gzipped", false),
        ])
    func accepted(text: String, isTaken: Bool) {
        #expect(ContentCoding.takesGzip(text) == isTaken)
        #expect(!ContentCoding.takesGzip(nil))
    }

    @Test("Dates of HTTP are read as they are written")
    func dates() {
        for seconds in [0, 951_782_399, 951_782_400, 1_705_314_600, 4_102_444_799, 253_402_300_799] {
            #expect(HTTPDate.parse(HTTPDate(unixSeconds: seconds).string) == Int64(seconds))
        }
        #expect(HTTPDate.parse("Mon, 15 Jan 2024 10:30:00 GMT") == 1_705_314_600)
        for wrong in [
            "", "Tue, 15 Jan 2024 10:30:00 GMT", "Mon, 15 Jan 2024 10:30:00 CET", "Mon, 15 Jan 2024 24:30:00 GMT",
            "Wed, 30 Feb 2024 10:30:00 GMT", "Monday, 15-Jan-24 10:30:00 GMT", "Mon, 15 jan 2024 10:30:00 GMT",
            "Mon, 15 Jan 2024 10:30:0\u{e9} GMT",
        ] {
            #expect(HTTPDate.parse(wrong) == nil, "\(wrong)")
        }
    }
}
