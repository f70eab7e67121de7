import Foundation
import Testing

@testable import Media

struct SoundTests {
    @Test(arguments: CleanAudioTests.files)
    func `sound is kept with its length`(name: String, format: MediaFormat, duration: Double) throws {
        let stage = try Stage()
        let original = try Fixture.bytes(name)
        let media = try stage.admit(original, .audio)
        #expect(media.key.format == format)
        #expect(abs((media.duration ?? 0) - duration) < 0.05)
        #expect(media.width == nil && media.height == nil)
        let kept = try stage.read(media.key)
        #expect(kept == (try CleanAudio(original, format: format).bytes))
        #expect(kept.count == media.byteCount)
        // A size means nothing to sound.
        #expect(try stage.read(media.key, size: 128) == kept)
    }

    @Test func `what cannot be read is refused and leaves nothing`() throws {
        let stage = try Stage()
        #expect(stage.refusal([0xff, 0xfb] + [UInt8](repeating: 0, count: 1_000), .audio) == .unsupportedFormat)
        #expect(stage.refusal(Array(try Fixture.bytes("tone.opus.ogg").dropLast(5)), .audio) == .damaged)
        #expect(stage.refusal(Array(try Fixture.bytes("tone.m4a").prefix(4_000)), .audio) == .damaged)
        #expect(stage.directory.files.isEmpty)
    }
}
