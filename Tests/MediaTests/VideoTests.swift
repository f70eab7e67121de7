import Foundation
import Testing

@testable import Media

/// Videos that ffmpeg makes, a second long and small.
enum Video {
    /// The bytes of a file that ffmpeg makes with these arguments, with a test picture as its first input and a tone as the second.
    static func make(_ name: String, size: String = "64x48", seconds: Int = 1, _ arguments: String...) throws -> [UInt8]
    {
        let directory = TemporaryDirectory()
        let inputs = [
            "-f", "lavfi", "-i", "testsrc=size=\(size):rate=10:duration=\(seconds)", "-f", "lavfi", "-i",
            "sine=duration=\(seconds)", "-pix_fmt", "yuv420p",
        ]
        return try run(inputs + arguments, directory.path + "/" + name)
    }

    /// A video that a player has to turn by a quarter.
    static func lying() throws -> [UInt8] {
        let directory = TemporaryDirectory()
        let upright = directory.path + "/a.mov"
        try Data(try make("a.mov")).write(to: URL(fileURLWithPath: upright))
        return try run(["-i", upright, "-c", "copy", "-metadata:s:v:0", "rotate=90"], directory.path + "/b.mov")
    }

    private static func run(_ arguments: [String], _ path: String) throws -> [UInt8] {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = ["ffmpeg", "-loglevel", "error"] + arguments + [path]
        try process.run()
        process.waitUntilExit()
        return Array(try Data(contentsOf: URL(fileURLWithPath: path)))
    }

    /// Overwrites bytes behind a word.
    static func patched(_ bytes: [UInt8], _ word: String, at offset: Int, with new: [UInt8]) throws -> [UInt8] {
        var bytes = bytes
        let found = try #require(Data(bytes).range(of: Data(word.utf8)))
        bytes.replaceSubrange(found.upperBound + offset..<found.upperBound + offset + new.count, with: new)
        return bytes
    }
}

@Suite(.serialized)
struct VideoTests {
    @Test(arguments: [("a.mp4", MediaFormat.mp4), ("a.mov", .mov)])
    func `a video keeps its pictures and sound, and nothing that tells of its maker and place`(
        name: String, format: MediaFormat
    ) throws {
        let stage = try Stage()
        let video = try Video.make(
            name, "-metadata", "title=a secret title", "-metadata", "location=+52.5200+013.4050/", "-metadata",
            "com.apple.quicktime.make=Apple", "-metadata:s:v", "handler_name=Secret camera", "-movflags",
            "use_metadata_tags")
        #expect(video.contains("secret title") && video.contains("+52.5200"))
        let media = try stage.admit(video, .upload)
        #expect(media.width == 64 && media.height == 48 && media.key.format == format)
        #expect(abs((media.duration ?? 0) - 1) < 0.2)
        let kept = try stage.read(media.key)
        #expect(kept.count == media.byteCount && MediaFormat(beginning: kept.span, of: .upload) == format)
        for word in ["secret", "Secret", "52.52", "Apple", "Lavf"] { #expect(!kept.contains(word), "\(word)") }
        // The index comes first, so that a player can begin at once.
        let index = try #require(Data(kept).range(of: Data("moov".utf8)))
        let data = try #require(Data(kept).range(of: Data("mdat".utf8)))
        #expect(index.lowerBound < data.lowerBound)
        // Both tracks are there, and it can be kept again.
        let again = try stage.admit(kept, .upload)
        #expect(again.byteCount == media.byteCount && again.duration == media.duration)
        #expect(kept.contains("mp4a") && kept.contains("avc1"))
    }

    @Test func `a video has a picture`() throws {
        let stage = try Stage { $0.posterSideMax = 32 }
        let media = try stage.admit(try Video.make("a.mp4"), .upload)
        let poster = try #require(media.poster)
        let picture = try stage.read(poster.key)
        #expect(poster.key.format == .jpeg && picture.count == poster.byteCount)
        let shown = try stage.admit(picture, .photo)
        #expect(shown.width == 32 && shown.height == 24)
    }

    @Test func `a video that lies on its side is told and shown upright, and stays as it is`() throws {
        let stage = try Stage()
        let video = try Video.lying()
        let media = try stage.admit(video, .upload)
        #expect(media.width == 48 && media.height == 64)
        let poster = try stage.admit(try stage.read(try #require(media.poster).key), .photo)
        #expect(poster.width == 48 && poster.height == 64)
        let again = try stage.admit(try stage.read(media.key), .upload)
        #expect(again.width == 48 && again.height == 64)
    }

    @Test func `tracks that are neither pictures nor sound go`() throws {
        let stage = try Stage()
        let video = try Video.make("a.mov", "-timecode", "01:02:03:04")
        #expect(video.contains("tmcd"))
        let media = try stage.admit(video, .upload)
        #expect(try !stage.read(media.key).contains("tmcd"))
    }

    @Test func `a video is refused that is no whole one, or none at all`() throws {
        let stage = try Stage()
        let video = try Video.make("a.mp4")
        #expect(stage.refusal(Array(video.prefix(video.count / 2)), .upload) == .damaged)
        // Also where the index comes first, and where there are several.
        for flags in ["faststart", "frag_keyframe+empty_moov"] {
            let other = try Video.make("a.mp4", seconds: 2, "-g", "5", "-movflags", flags)
            #expect(stage.refusal(other, .upload) == nil)
            #expect(stage.refusal(Array(other.dropLast(other.count / 4)), .upload) == .damaged, "\(flags)")
        }
        let noise = video.prefix(32) + (0..<50_000).map { UInt8(truncatingIfNeeded: $0 &* 31) }
        #expect(stage.refusal(Array(noise), .upload) == .damaged)
        #expect(stage.refusal(try Fixture.bytes("tone.m4a"), .upload) == .unsupportedFormat)
        #expect(stage.refusal(try Fixture.bytes("corners.webp"), .upload) == .unsupportedFormat)
        #expect(stage.refusal(Array("GIF89a".utf8) + [UInt8](repeating: 0, count: 100), .upload) == .unsupportedFormat)
        // Rooms' own uploads take no videos.
        #expect(stage.refusal(video, .photo) == .unsupportedFormat)
    }

    @Test func `a video is refused past its bounds`() throws {
        let video = try Video.make("a.mp4")
        #expect(try Stage { $0.videoPixelsMax = 3_071 }.refusal(video, .upload) == .tooManyPixels(max: 3_071))
        #expect(try Stage { $0.videoPixelsMax = 3_072 }.refusal(video, .upload) == nil)
        let long = try Video.make("a.mp4", seconds: 3)
        #expect(try Stage { $0.videoSecondsMax = 2 }.refusal(long, .upload) == .tooLong(secondsMax: 2))
        #expect(try Stage { $0.videoTracksMax = 1 }.refusal(video, .upload) == .damaged)
        #expect(try Stage { $0.videoTracksMax = 2 }.refusal(video, .upload) == nil)
        #expect(
            try Stage { $0.uploadBytesMax = video.count - 1 }.refusal(video, .upload)
                == .tooLarge(bytesMax: video.count - 1))
    }

    @Test func `a video that claims more than it has is refused at once`() throws {
        let video = try Video.make("a.mp4", size: "320x240")
        // Small by its index, and large by its stream: nothing is decoded.
        let small = try Video.patched(video, "avc1\0\0\0\0\0\0\0\u{1}", at: 16, with: [0, 16, 0, 16])
        #expect(try Stage { $0.videoPixelsMax = 10_000 }.refusal(small, .upload) == .damaged)
        // Four thousand million samples.
        let many = try Video.patched(video, "stsz", at: 8, with: [0xff, 0xff, 0xff, 0xff])
        let stage = try Stage()
        // A sample of two thousand million bytes.
        let large = try Video.patched(video, "stsz", at: 12, with: [0x7f, 0xff, 0xff, 0xff])
        let refusals = try [many, large].map { try #require(stage.refusal($0, .upload)) }
        #expect(refusals.allSatisfy { $0 == .damaged || $0.isOfCost }, "\(refusals)")
        #expect(stage.directory.files == [])
    }

    @Test func `the process that works on videos is sealed off`() throws {
        // It says so, and does nothing where it is not, unless that is allowed.
        let path = Stage.executable.replacingOccurrences(of: "rooms-media", with: "rooms-video")
        #expect(try MediaWorker(executable: path, limits: MediaLimits()).canSeal())
    }
}

@Suite
struct ChunkTests {
    private func chunk(_ stage: Stage, _ text: String) throws -> StagedFile {
        let file = try stage.store.stage(bytes: text.utf8.count)
        try file.write(Array(text.utf8).span)
        return file
    }

    @Test func `chunks are put together in their order, and the last of a number counts`() throws {
        let stage = try Stage()
        for (number, text) in [(3, "gh"), (1, "xxx"), (2, "def"), (1, "abc")] {
            try stage.store.keepChunk(try chunk(stage, text), number: number, of: "up1")
        }
        let whole = try stage.library.assemble("up1", byteCount: 8, chunkBytes: 3)
        #expect(try whole.beginning(100) == Array("abcdefgh".utf8))
        #expect(try stage.store.uploadsWithChunks() == ["up1"])
        try stage.store.deleteChunks(of: "up1")
        #expect(try stage.store.uploadsWithChunks() == [])
    }

    @Test func `a chunk that is gone or cut off is named`() throws {
        let stage = try Stage()
        for (number, text) in [(1, "abc"), (2, "de")] {
            try stage.store.keepChunk(try chunk(stage, text), number: number, of: "up1")
        }
        #expect(throws: MediaError.chunkMissing(2)) { try stage.library.assemble("up1", byteCount: 8, chunkBytes: 3) }
        try stage.store.keepChunk(try chunk(stage, "def"), number: 2, of: "up1")
        #expect(throws: MediaError.chunkMissing(3)) { try stage.library.assemble("up1", byteCount: 8, chunkBytes: 3) }
    }

    @Test(arguments: ["", "../up", "a/b", "a.b", String(repeating: "a", count: 65)])
    func `no name of an upload leads out of its folder`(name: String) throws {
        let stage = try Stage()
        let file = try chunk(stage, "abc")
        #expect(throws: MediaError.self) { try stage.store.keepChunk(file, number: 1, of: name) }
        #expect(try stage.store.openChunk(1, of: name) == nil)
    }
}
