import Foundation
import Testing

@testable import Media

struct CleanAudioTests {
    static let files: [(name: String, format: MediaFormat, duration: Double)] = [
        ("tone.wav", .wav, 1.5), ("tone-adpcm.wav", .wav, 1.5), ("tone.mp3", .mp3, 2.534), ("tone-vbr.mp3", .mp3, 2.56),
        ("tone.aac", .aac, 2.043), ("tone.m4a", .m4a, 2.0), ("tone-faststart.m4a", .m4a, 2.0),
        ("tone-fragmented.m4a", .m4a, 2.023), ("tone.opus.ogg", .ogg, 2.0), ("tone.vorbis.ogg", .ogg, 2.0),
    ]

    @Test(arguments: files)
    func `the length is what the structure says`(name: String, format: MediaFormat, duration: Double) throws {
        let clean = try CleanAudio(Fixture.bytes(name), format: format)
        // Some encoders round up to whole blocks.
        #expect(abs(clean.duration - duration) < 0.05, "\(clean.duration)")
        #expect(clean.format == format)
    }

    @Test(arguments: files)
    func `titles, names, notes and places are gone`(name: String, format: MediaFormat, duration: Double) throws {
        let original = try Fixture.bytes(name)
        let clean = try CleanAudio(original, format: format).bytes
        for secret in ["Secret", "52.52", "LAME3", "Lavf", "ID3", "TAG", "udta", "LIST"] {
            if name == "tone.mp3", secret == "LAME3" { continue }
            #expect(!clean.contains(secret), "\(secret)")
        }
        #expect(clean.count <= original.count)
    }

    @Test func `the files that this is tried on have secrets`() throws {
        for (name, _, _) in Self.files where !name.contains("aac") {
            let bytes = try Fixture.bytes(name)
            #expect(bytes.contains("Secret") || bytes.contains("S\0e\0c\0r\0e\0t"), "\(name)")
        }
    }

    @Test(arguments: files)
    func `what was cleaned stays as it is`(name: String, format: MediaFormat, duration: Double) throws {
        let once = try CleanAudio(Fixture.bytes(name), format: format)
        #expect(try CleanAudio(once.bytes, format: format) == once)
    }

    @Test(arguments: files)
    func `a file that is cut off anywhere is refused or shorter`(
        name: String, format: MediaFormat, duration: Double
    ) throws {
        let bytes = try Fixture.bytes(name)
        let whole = try CleanAudio(bytes, format: format)
        var counts = Array(0..<min(600, bytes.count))
        counts += Array(stride(from: 600, to: bytes.count, by: 397))
        for count in counts {
            guard let clean = try? CleanAudio(Array(bytes.prefix(count)), format: format) else { continue }
            #expect(clean.duration <= whole.duration, "\(count)")
            #expect(clean.bytes.count <= whole.bytes.count, "\(count)")
        }
    }

    @Test(arguments: files)
    func `a file with any byte changed is read without harm`(
        name: String, format: MediaFormat, duration: Double
    ) throws {
        var bytes = try Fixture.bytes(name)
        for place in Array(0..<min(700, bytes.count)) + Array(bytes.count - 100..<bytes.count) {
            let kept = bytes[place]
            for value: UInt8 in [0, 0x7f, 0xff] {
                bytes[place] = value
                _ = try? CleanAudio(bytes, format: format)
            }
            bytes[place] = kept
        }
    }

    @Test(arguments: files)
    func `what is hung on behind does not come along`(name: String, format: MediaFormat, duration: Double) throws {
        let extra = Array("<script>alert(1)</script>PK\u{5}\u{6}".utf8)
        guard let clean = try? CleanAudio(Fixture.bytes(name) + extra, format: format) else { return }
        #expect(!clean.bytes.contains("<script>"))
        #expect(abs(clean.duration - duration) < 0.05)
    }

    @Test func `a box with anything in it is emptied`() throws {
        let box = { (name: String, text: String) -> [UInt8] in
            [0, 0, 0, UInt8(8 + text.utf8.count)] + Array(name.utf8) + Array(text.utf8)
        }
        let bytes = try Fixture.bytes("tone.m4a") + box("uuid", "<script>") + box("skip", "<script>")
        let clean = try CleanAudio(bytes, format: .m4a)
        #expect(!clean.bytes.contains("<script>"))
        #expect(clean.bytes.count == bytes.count)
    }

    @Test func `a recording whose size was never written is read to its end`() throws {
        var bytes = try CleanAudio(Fixture.bytes("tone.wav"), format: .wav).bytes
        for unknown: UInt8 in [0, 0xff] {
            for place in 40..<44 { bytes[place] = unknown }
            let clean = try CleanAudio(bytes, format: .wav)
            #expect(clean.duration == 1.5)
        }
    }

    @Test func `rubbish between frames is left out`() throws {
        let clean = try CleanAudio(Fixture.bytes("tone.mp3"), format: .mp3)
        let rubbish = Array("<script>rubbish</script>".utf8)
        let joined = rubbish + clean.bytes + rubbish + clean.bytes + rubbish
        let again = try CleanAudio(joined, format: .mp3)
        #expect(!again.bytes.contains("rubbish"))
        #expect(again.bytes == clean.bytes + clean.bytes)
    }

    @Test func `a stream behind a tag is what it is, whatever the tag is used with`() throws {
        let tag = Array("ID3\u{4}\0\0\0\0\0\u{5}abcde".utf8)
        let clean = try CleanAudio(tag + Fixture.bytes("tone.aac"), format: .mp3)
        #expect(clean.format == .aac)
        #expect(!clean.bytes.contains("abcde"))
    }

    @Test func `what is not sound is refused`() throws {
        let others: [(String, MediaFormat)] = [("movie.mp4", .m4a), ("tone.flac.ogg", .ogg)]
        for (name, format) in others {
            #expect(throws: AudioError.unsupported) { try CleanAudio(Fixture.bytes(name), format: format) }
        }
        for format in MediaFormat.allCases {
            for bytes in [
                [], [0], Array("OggS".utf8), Array(repeating: 0xff, count: 10_000), try Fixture.bytes("corners.jpg"),
            ] {
                #expect(throws: AudioError.self) { try CleanAudio(bytes, format: format) }
            }
        }
    }
}
