import Foundation
import Testing

@testable import Media

@Suite(.serialized)
struct ImageTests {
    @Test(arguments: [
        ("corners.jpg", MediaFormat.jpeg), ("corners-progressive.jpg", .jpeg), ("corners.png", .png),
        ("corners-interlaced.png", .png), ("corners.webp", .webp), ("corners.heic", .jpeg),
    ])
    func `an image is kept with its size, and smaller copies`(name: String, format: MediaFormat) throws {
        let stage = try Stage()
        let media = try stage.admit(Fixture.bytes(name), .photo)
        #expect(media.width == 600 && media.height == 400 && media.duration == nil)
        #expect(media.key.format == format)
        let whole = try stage.read(media.key)
        #expect(whole.count == media.byteCount)
        #expect(MediaFormat(beginning: whole.span) == format)
        // 128 and 320 were made; 640 would not have been smaller.
        #expect(stage.directory.files.count == 3)
        for (size, side) in [(1, 128), (128, 128), (129, 320), (320, 320)] {
            let copy = try stage.read(media.key, size: size)
            let again = try stage.admit(copy, .photo)
            #expect(again.width == side && again.height == (side * 2 + 1) / 3, "\(size)")
        }
        #expect(try stage.read(media.key, size: 321) == whole)
        #expect(try stage.read(media.key, size: 5_000) == whole)
        try stage.store.delete(media.key)
        #expect(try stage.library.open(media.key) == nil)
        #expect(try stage.library.open(media.key, size: 128) == nil)
    }

    /// As systemd's `MemoryDenyWriteExecute=yes` has it, on kernels that can be asked for it (6.3).
    @Test(arguments: ["corners.jpg", "corners.png", "corners.webp", "corners.heic"])
    func `an image is kept where no code can be made at run time`(name: String) throws {
        let directory = TemporaryDirectory()
        let stage = try Stage(executable: { program in
            let script = """
                #!/usr/bin/env python3
                import ctypes, os, sys
                ctypes.CDLL(None).prctl(65, 1, 0, 0, 0)
                os.execv("\(program)", sys.argv)

                """
            let path = directory.path + "/sealed"
            try script.write(toFile: path, atomically: true, encoding: .utf8)
            try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: path)
            return path
        })
        #expect(try stage.admit(Fixture.bytes(name), .photo).width == 600)
        #expect(stage.directory.files.count == 3)
    }

    @Test(arguments: [UInt8(1), 3, 6, 8])
    func `an image is turned upright, and what its camera wrote is gone`(orientation: UInt8) throws {
        let stage = try Stage()
        let original = try Pictures.withExif(Fixture.bytes("corners.jpg"), orientation: orientation)
        #expect(original.contains("Secret owner"))
        let media = try stage.admit(original, .photo)
        let isOnItsSide = orientation >= 5
        #expect(media.width == (isOnItsSide ? 400 : 600) && media.height == (isOnItsSide ? 600 : 400))
        for size in [nil, 128, 320] {
            let bytes = try stage.read(media.key, size: size)
            for trace in ["Exif", "Secret", "ICC_PROFILE", "http://ns.adobe.com"] { #expect(!bytes.contains(trace)) }
        }
    }

    @Test func `texts and other extras of a PNG or WebP are gone`() throws {
        let stage = try Stage()
        let text = Pictures.chunk("tEXt", Array("Comment\0Secret".utf8)) + Pictures.chunk("prVt", Array("Secret".utf8))
        let png = try stage.admit(Pictures.png(width: 20, height: 10, extra: text), .photo)
        #expect(try !stage.read(png.key).contains("Secret"))
        var webp = try Fixture.bytes("corners.webp")
        // The last chunk but in name: of that kind, and told of in the first.
        webp[20] |= 0x08
        webp += Array("EXIF".utf8) + [6, 0, 0, 0] + Array("Secret".utf8)
        let size = webp.count - 8
        webp.replaceSubrange(4..<8, with: [UInt8(size & 255), UInt8(size >> 8), 0, 0])
        let kept = try stage.admit(webp, .photo)
        #expect(try !stage.read(kept.key).contains("Secret"))
        #expect(try !stage.read(kept.key).contains("ICCP"))
    }

    @Test(arguments: ["corners.jpg", "corners.png", "corners.webp", "corners.heic"])
    func `what is hung on behind an image does not come along`(name: String) throws {
        let stage = try Stage()
        let extra = Array("<script>alert(1)</script>PK\u{5}\u{6}".utf8)
        guard let media = try? stage.admit(Fixture.bytes(name) + extra, .photo) else { return }
        #expect(try !stage.read(media.key).contains("<script>"))
    }

    @Test(arguments: ["corners.jpg", "corners-progressive.jpg", "corners.png", "corners.webp", "corners.heic"])
    func `an image that is cut off is refused`(name: String) throws {
        let stage = try Stage()
        let bytes = try Fixture.bytes(name)
        for count in [16, 30, bytes.count / 2, bytes.count * 9 / 10] {
            #expect(stage.refusal(Array(bytes.prefix(count)), .photo) == .damaged, "\(count)")
        }
        #expect(stage.directory.files.isEmpty)
    }

    @Test func `an image that is another than it says, or than is wanted, is refused`() throws {
        let stage = try Stage()
        for name in ["tone.mp3", "tone.m4a", "movie.mp4", "corners.avif"] {
            #expect(stage.refusal(try Fixture.bytes(name), .photo) == .unsupportedFormat)
            #expect(stage.refusal(try Fixture.bytes(name), .avatar) == .unsupportedFormat)
        }
        #expect(stage.refusal(try Fixture.bytes("corners.jpg"), .audio) == .unsupportedFormat)
        #expect(stage.refusal(try Fixture.bytes("movie.mp4"), .audio) == .unsupportedFormat)
        // The first bytes of one and the rest of another.
        let mixed = try Array(Fixture.bytes("corners.jpg").prefix(3)) + Array(Fixture.bytes("corners.png").dropFirst(3))
        #expect(stage.refusal(mixed, .photo) == .damaged)
        let script = [0xff, 0xd8, 0xff] + Array("<?xml version='1.0'?><svg/>".utf8)
        #expect(stage.refusal(script, .photo) == .damaged)
        #expect(stage.directory.files.isEmpty)
    }

    @Test func `a large image is made smaller, an avatar more so`() throws {
        let stage = try Stage()
        let bytes = Pictures.png(width: 5_000, height: 50)
        let photo = try stage.admit(bytes, .photo)
        #expect(photo.width == 4_096 && photo.height == 41)
        let avatar = try stage.admit(bytes, .avatar)
        #expect(avatar.width == 1_024 && avatar.height == 10)
    }

    @Test func `an image of more pixels than may be is refused before it is decoded`() throws {
        let stage = try Stage()
        // A few bytes that say that they are four thousand million pixels.
        let bomb = Pictures.png(width: 65_000, height: 65_000, data: Pictures.deflate([0, 0, 0]))
        #expect(bomb.count < 200)
        #expect(stage.refusal(bomb, .photo) == .tooManyPixels(max: 64_000_000))
        #expect(stage.refusal(Pictures.png(width: 8_001, height: 8_001), .photo) == .tooManyPixels(max: 64_000_000))
        var jpeg = try Fixture.bytes("corners.jpg")
        let frame = try #require(jpeg.indices.first { jpeg[$0] == 0xff && jpeg[$0 + 1] == 0xc0 })
        jpeg.replaceSubrange(frame + 5..<frame + 9, with: [0xfd, 0xe8, 0xfd, 0xe8])
        #expect(stage.refusal(jpeg, .photo) == .tooManyPixels(max: 64_000_000))
    }

    @Test func `a profile or text that unpacks to much is not unpacked, or dies alone`() throws {
        let stage = try Stage()
        let large = Pictures.deflate([UInt8](repeating: 32, count: 400_000_000))
        let extra =
            Pictures.chunk("zTXt", Array("Comment\0\0".utf8) + large)
            + Pictures.chunk("iCCP", Array("Profile\0\0".utf8) + large)
        let bomb = Pictures.png(width: 20, height: 10, extra: extra)
        if let error = stage.refusal(bomb, .photo) { #expect(error == .damaged || error.isOfCost) }
        #expect(stage.refusal(try Fixture.bytes("corners.png"), .photo) == nil)
    }

    @Test func `an image that takes too much time, or memory, is refused`() throws {
        let bytes = Pictures.png(width: 8_000, height: 8_000)
        let slow = try Stage { $0.workerMillisecondsMax = 30 }
        #expect(slow.refusal(bytes, .photo) == .unfinished("it took longer than 30 ms"))
        #expect(slow.directory.files.isEmpty)
        let clock = try Stage {
            $0.workerSecondsMax = 1; $0.photoSideMax = 8_000
        }
        if let error = clock.refusal(bytes, .photo) { #expect(error == .tooCostly) }
        let narrow = try Stage { $0.workerMemoryBytesMax = 300_000_000 }
        if let error = narrow.refusal(bytes, .photo) { #expect(error == .damaged || error.isOfCost) }
    }

    @Test func `the process is sealed, and when it is killed the next one works`() async throws {
        // A side that no other test asks for tells its process from theirs.
        let stage = try Stage { $0.photoSideMax = 7_999 }
        let bytes = Pictures.png(width: 8_000, height: 8_000)
        // A thread of its own: tests that block may have taken all those that tasks run on.
        let (refusals, refused) = AsyncStream.makeStream(of: MediaError?.self)
        Thread.detachNewThread { refused.yield(stage.refusal(bytes, .photo)) }
        var status = ""
        var process: pid_t?
        // A sanitizer needs more than the seal leaves.
        let seal = Self.isSanitized ? "NoNewPrivs:\t1" : "Seccomp:\t2"
        for _ in 0..<20_000 where !status.contains(seal) {
            process = Self.children(told: "7999").first
            status = process.flatMap { try? String(contentsOfFile: "/proc/\($0)/status", encoding: .utf8) } ?? ""
            usleep(1_000)
        }
        #expect(status.contains("NoNewPrivs:\t1") && status.contains(seal))
        if let process { kill(process, SIGKILL) }
        let refusal = await refusals.first { _ in true }
        #expect(refusal == .unfinished("signal 9 has ended it"))
        #expect(stage.directory.files.isEmpty)
        #expect(stage.refusal(try Fixture.bytes("corners.jpg"), .photo) == nil)
    }

    private static var isSanitized: Bool {
        dlsym(nil, "__asan_init") != nil || dlsym(nil, "__tsan_init") != nil
    }

    /// The processes that this one has started, that are the media program and have such an argument.
    private static func children(told argument: String) -> [pid_t] {
        let all = (try? FileManager.default.contentsOfDirectory(atPath: "/proc")) ?? []
        return all.compactMap { pid_t($0) }.filter { process in
            let stat = (try? String(contentsOfFile: "/proc/\(process)/stat", encoding: .utf8)) ?? ""
            let words = stat.split(separator: " ")
            guard words.count > 3, words[1] == "(rooms-media)", words[3] == "\(getpid())" else { return false }
            let line = (try? String(contentsOfFile: "/proc/\(process)/cmdline", encoding: .utf8)) ?? ""
            return line.split(separator: "\0").contains(Substring(argument))
        }
    }

    @Test func `a result that finds no room is told from a damaged image`() throws {
        let worker = MediaWorker(executable: Stage.executable, limits: MediaLimits())
        let directory = TemporaryDirectory()
        for (name, format) in [("corners.jpg", MediaFormat.jpeg), ("corners.png", .png), ("corners.webp", .webp)] {
            let file = try StagedFile(path: directory.path + "/" + name)
            let bytes = try Fixture.bytes(name)
            try file.write(bytes.span)
            let full = open("/dev/full", O_RDWR | O_CLOEXEC)
            defer { close(full) }
            #expect(throws: MediaError.storeFull) {
                try worker.image(format, from: file.descriptor, to: [(1_024, full)])
            }
        }
    }
}
