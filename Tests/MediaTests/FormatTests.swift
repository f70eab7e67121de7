import Testing

@testable import Media

struct MediaFormatTests {
    @Test(arguments: [
        ("corners.jpg", MediaFormat.jpeg), ("corners-progressive.jpg", .jpeg), ("corners.png", .png),
        ("corners.webp", .webp), ("corners.heic", .heic), ("tone.wav", .wav), ("tone.mp3", .mp3),
        ("tone-vbr.mp3", .mp3),
        ("tone.aac", .aac), ("tone.m4a", .m4a), ("tone-fragmented.m4a", .m4a), ("tone.opus.ogg", .ogg),
        ("tone.vorbis.ogg", .ogg),
    ])
    func `a format is known by its first bytes`(name: String, format: MediaFormat) throws {
        let beginning = Array(try Fixture.bytes(name).prefix(MediaFormat.sniffedBytes))
        #expect(MediaFormat(beginning: beginning.span) == format)
    }

    @Test func `a format that is not accepted is not known`() throws {
        let others: [[UInt8]] = [
            [], [0xff], Array("GIF89a".utf8), Array("<svg xmlns=".utf8), Array("<html>".utf8), Array("%PDF-1.7".utf8),
            Array("II*\0".utf8), Array("RIFF\0\0\0\0AVI ".utf8), [0x7f, 0x45, 0x4c, 0x46], [0, 0, 0, 0],
            Array("PK\u{3}\u{4}".utf8), Array("\0\0\0\u{18}ftyp".utf8), Array("fLaC".utf8), Array("MThd".utf8),
            try Fixture.bytes("corners.avif"),
        ]
        for bytes in others { #expect(MediaFormat(beginning: bytes.span) == nil) }
    }

    @Test func `no beginning of a file is looked at past its end`() throws {
        for name in ["corners.jpg", "corners.webp", "corners.heic", "tone.m4a", "tone.mp3"] {
            let bytes = try Fixture.bytes(name)
            for count in 0...64 {
                let beginning = Array(bytes.prefix(count))
                _ = MediaFormat(beginning: beginning.span)
            }
        }
    }
}

struct MediaKeyTests {
    @Test func `a key comes back from its text`() throws {
        for format in MediaFormat.allCases {
            let key = MediaKey(format)
            #expect(key.description.utf8.count == 33 + format.fileExtension.utf8.count)
            #expect(MediaKey(key.description) == key)
            #expect(MediaKey(key.description)?.format == format)
        }
    }

    @Test func `no two keys are the same, and every letter occurs everywhere`() {
        let keys = (0..<4_000).map { _ in MediaKey(.png).description }
        #expect(Set(keys).count == keys.count)
        for place in 0..<32 { #expect(Set(keys.map { Array($0)[place] }).count == 32) }
    }

    @Test(arguments: [
        "", ".", "..", "../../../../../../../../etc/passwd", "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa",
        "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa.", "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa.exe",
        "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa.jpg/", "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa.jpg\0", "aaaaaaaaaaaaaaaa.jpg",
        "Aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa.jpg", "aaaaaaaaaaaaaaa/aaaaaaaaaaaaaaaa.jpg",
        "aaaaaaaaaaaaaaa.aaaaaaaaaaaaaaaa.jpg", "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa.JPG",
        "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa.jpg.320", "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaä.jpg",
        "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa.jp\u{301}g", "1aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa.jpg",
    ])
    func `nothing else is a key`(text: String) {
        #expect(MediaKey(text) == nil)
    }
}
