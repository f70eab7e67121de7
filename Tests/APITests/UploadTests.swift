import CSystem
import Configuration
import Foundation
import RoomsServer
import Store
import Testing

/// Files over HTTP: brought, taken, refused, deleted.
@Suite(.serialized, .timeLimit(.minutes(3))) struct UploadTests {
    private func withStage(
        _ change: (inout ServerConfiguration) -> Void = { _ in }, _ body: (UploadStage) async throws -> Void
    ) async throws {
        let stage = try UploadStage(change)
        defer { stage.stop() }
        try await stage.introduce("ann")
        try await body(stage)
    }

    @Test func aPhotoIsKeptAndServedForEverInPartsAndInSmall() async throws {
        try await withStage { stage in
            let answer = try await stage.upload("photo", Form.fixture("corners.jpg"))
            #expect(answer.status == 201)
            #expect(answer.data["width"] as? Int == 600 && answer.data["height"] as? Int == 400)
            let url = try #require(answer.data["imageUrl"] as? String)
            #expect(url.hasPrefix(stage.address + "/media/"))

            let whole = try await stage.ask("GET", url, as: nil)
            #expect(whole.status == 200 && whole.headers["content-type"] == "image/jpeg")
            #expect(whole.headers["cache-control"] == "public, max-age=31536000, immutable")
            #expect(whole.headers["x-content-type-options"] == "nosniff")
            #expect(whole.headers["content-security-policy"] == "default-src 'none'; sandbox")
            #expect(whole.body.starts(with: [0xff, 0xd8, 0xff]))

            let part = try await stage.ask("GET", url, as: nil, ["Range": "bytes=2-9"])
            #expect(part.status == 206 && part.body == whole.body[2...9])
            #expect(part.headers["content-range"] == "bytes 2-9/\(whole.body.count)")
            let beyond = try await stage.ask("GET", url, as: nil, ["Range": "bytes=99999999-"])
            #expect(beyond.status == 416)
            let tag = try #require(whole.headers["etag"])
            #expect(try await stage.ask("GET", url, as: nil, ["If-None-Match": tag]).status == 304)

            let small = try await stage.ask("GET", url + "?size=100", as: nil)
            #expect(small.status == 200 && small.body.count < whole.body.count && small.headers["etag"] != tag)
            #expect(try await stage.ask("GET", url + "?size=4000", as: nil).body == whole.body)
            #expect(try await stage.ask("GET", url + "?size=x", as: nil).status == 422)
        }
    }

    @Test(arguments: ["corners.png", "corners.webp", "corners.heic"])
    func otherImagesAreTakenByTheirContent(name: String) async throws {
        try await withStage { stage in
            // Names say nothing.
            let answer = try await stage.upload("photo", Form.fixture(name), filename: "../../etc/passwd\u{202e}.exe")
            #expect(answer.status == 201)
            let url = try #require(answer.data["imageUrl"] as? String)
            #expect(try await stage.ask("GET", url, as: nil).status == 200)
            #expect(stage.files.allSatisfy { !$0.contains("passwd") })
        }
    }

    @Test func soundHasTheLengthThatItsFileTells() async throws {
        try await withStage { stage in
            let answer = try await stage.upload("audio", Form.fixture("tone.m4a"))
            let duration = try #require(answer.data["duration"] as? Double)
            #expect(answer.status == 201 && duration > 0.5 && duration < 60)
            let url = try #require(answer.data["audioUrl"] as? String)
            #expect(try await stage.ask("GET", url, as: nil).headers["content-type"] == "audio/mp4")
            // Sound is no picture.
            #expect(try await stage.upload("photo", Form.fixture("tone.m4a")).status == 415)
        }
    }

    @Test func whoHasNoProfileYetMayBringAPictureForItAndNothingElse() async throws {
        try await withStage { stage in
            let photo = try await stage.upload("photo", Form.fixture("corners.jpg"), as: "new")
            #expect(photo.status == 403 && photo.code == "FORBIDDEN")
            #expect(try await stage.upload("avatar", Form.fixture("corners.jpg"), as: nil).status == 401)
            let avatar = try await stage.upload("avatar", Form.fixture("corners.jpg"), as: "new")
            #expect(avatar.status == 201)
        }
    }

    @Test func whereEverybodyIsLetInNobodyNeedsAProfile() async throws {
        let stage = try UploadStage {
            $0.auth = .open
            $0.authSecret = nil
        }
        defer { stage.stop() }
        #expect(try await stage.upload("photo", Form.fixture("corners.jpg"), as: "new").status == 201)
    }

    /// It was fetched three times, once as a write. It may be another one when the file has come.
    @Test(arguments: [("photo", 2, 1), ("avatar", 0, 2)])
    func anUploadFetchesTheSendersAccountBeforeAndAfterTheFile(kind: String, reads: UInt64, writes: UInt64) async throws
    {
        try await withStage { stage in
            #expect(try await stage.upload(kind, Form.fixture("corners.jpg")).status == 201)
            // What the server does by itself meanwhile only adds.
            var (leastReads, leastWrites) = (UInt64.max, UInt64.max)
            for _ in 0..<3 {
                let before = try await stage.settledCounters()
                #expect(try await stage.upload(kind, Form.fixture("corners.jpg")).status == 201)
                let after = try await stage.settledCounters(jobsMin: before.jobs + writes)
                leastReads = min(leastReads, after.reads - before.reads)
                leastWrites = min(leastWrites, after.jobs - before.jobs)
            }
            // One of the writes is the file's own.
            #expect(leastReads == reads && leastWrites == writes)
        }
    }

    @Test func urlsBeginAsIsSet() async throws {
        try await withStage({ $0.publicURL = "https://rooms.example/x" }) { stage in
            let answer = try await stage.upload("avatar", Form.fixture("corners.jpg"))
            #expect((answer.data["avatarUrl"] as? String)?.hasPrefix("https://rooms.example/x/media/") == true)
        }
    }

    // MARK: Refusals

    @Test func whatIsNoFormOrNoFileIsRefusedInTheShapeOfAllFailures() async throws {
        try await withStage { stage in
            let jpeg = try Form.fixture("corners.jpg")
            let bare = try await stage.ask(
                "POST", "/api/upload/photo", ["Content-Type": "image/jpeg"], body: Data(jpeg))
            #expect(bare.status == 415 && bare.code == "VALIDATION_ERROR" && bare.json["error"] is String)
            let other = try await stage.post("photo", Form.part("file", [], filename: nil) + Form.end)
            #expect(other.status == 400 && other.field == "photo")
            let wrong = try await stage.post("photo", Form.part("image", jpeg) + Form.end)
            #expect(wrong.status == 400 && wrong.field == "photo")
            let sentence = "The form has a field \"image\"; the file belongs in the field \"photo\"."
            #expect(wrong.json["error"] as? String == sentence)
            #expect(try await stage.post("photo", Form.part("photo", jpeg)).status == 400)
            let two = Form.part("photo", jpeg) + Form.part("photo", jpeg) + Form.end
            #expect(try await stage.post("photo", two).status == 400)
            #expect(try await stage.upload("photo", Array("#!/bin/sh".utf8)).status == 415)
            #expect(try await stage.upload("photo", Array(jpeg.prefix(jpeg.count / 3))).status == 422)
            #expect(try await stage.ask("GET", "/api/upload/photo").status == 405)
            #expect(try await stage.hasNoFiles())
        }
    }

    @Test func whatIsTooLargeIsRefused() async throws {
        try await withStage({ $0.avatarBytesMax = 5_000 }) { stage in
            let refusal = try await stage.upload("avatar", [UInt8](repeating: 1, count: 5_001))
            #expect(refusal.status == 413 && refusal.code == "PAYLOAD_TOO_LARGE")
            #expect(try await stage.hasNoFiles())
        }
    }

    @Test func whoBringsTooManyFilesWaits() async throws {
        try await withStage({ $0.rateLimits = true }) { stage in
            var taken = 0
            var answer = try await stage.ask("POST", "/api/upload/photo", body: Data([1]))
            // One more is let through for each second that this takes.
            while answer.status == 415, taken < 1_000 {
                taken += 1
                answer = try await stage.ask("POST", "/api/upload/photo", body: Data([1]))
            }
            #expect(taken >= 60 && answer.status == 429 && answer.headers["retry-after"] != nil)
        }
    }

    // MARK: Bombs

    @Test func aSmallFileThatWouldBeHugeIsRefusedAndTheServerGoesOn() async throws {
        try await withStage { stage in
            let bomb = Picture.png(width: 30_000, height: 30_000)
            #expect(bomb.count < 1_000_000)
            let answer = try await stage.upload("photo", bomb)
            #expect(answer.status == 422)
            let many = Picture.png(width: 20_000, height: 20_000)
            #expect(try await stage.upload("avatar", many).status == 422)
            #expect(try await stage.upload("photo", Form.fixture("corners.jpg")).status == 201)
            #expect(try await stage.hasNoFiles { $0.hasPrefix("staging/") })
        }
    }

    @Test func aFormOfEndlessHeadersOrPartsIsRefused() async throws {
        try await withStage { (stage: UploadStage) async throws in
            let long = Form.part("photo", [1], extra: "X: " + String(repeating: "a", count: 100_000) + "\r\n")
            #expect(try await stage.post("photo", long).status == 400)
            let lines = Form.part("photo", [1], extra: String(repeating: "X: y\r\n", count: 1_000))
            #expect(try await stage.post("photo", lines).status == 400)
            var parts: [UInt8] = []
            for number in 0..<1_000 { parts += Form.part("f\(number)", [1], filename: nil) }
            #expect(try await stage.post("photo", parts + Form.end).status == 400)
            // An unexpected field counts with the file.
            let field = Form.part("note", [UInt8](repeating: 65, count: 15_010_000), filename: nil)
            #expect(try await stage.post("photo", field + Form.end).status == 413)
            #expect(try await stage.hasNoFiles())
        }
    }

    @Test(arguments: [
        "..%2f..%2frooms.db", "%2e%2e%2frooms.db", "..", ".", "%00", "a.jpg", "../rooms.db", "staging",
        "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa.jpg%2f..%2f..%2fx", "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa.jpg",
        "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa.db",
    ])
    func noKeyIsAPath(key: String) async throws {
        try await withStage { stage in
            let answer = try await stage.ask("GET", "/media/" + key, as: nil)
            #expect(answer.status == 404 || answer.status == 400)
            #expect(!answer.body.starts(with: Data("SQLite".utf8)))
        }
    }

    // MARK: Files that nothing shows

    @Test func aFileGoesWhenNothingShowsItAndNotBefore() async throws {
        // Long enough to show what was just uploaded.
        try await withStage({ $0.mediaGrace = .seconds(8) }) { stage in
            try await stage.introduce("ben")
            let jpeg = try Form.fixture("corners.jpg")
            let room = try await stage.send("POST", "/api/rooms", ["otherUserId": "ben"])
            let elements = "/api/rooms/\(try #require(room.data["id"] as? String))/elements"
            func upload() async throws -> String {
                try #require(try await stage.upload("photo", jpeg).data["imageUrl"] as? String)
            }
            func show(_ url: String) async throws -> String {
                let photo: [String: Any] = [
                    "type": "photo", "positionX": 1, "positionY": 1, "width": 1, "height": 1, "imageUrl": url,
                ]
                return try #require(try await stage.send("POST", elements, photo).data["id"] as? String)
            }
            let first = try await upload()
            _ = try await show(first)
            let second = try await upload()
            let element = try await show(second)
            let avatar = try await stage.upload("avatar", jpeg).data["avatarUrl"] as? String
            let profile = ["username": "ann", "firstName": "A", "dateOfBirth": "1990-01-01", "avatarUrl": avatar ?? ""]
            #expect(try await stage.send("POST", "/api/auth/complete-profile", profile).status == 200)
            let unseen = try await upload()
            func isThere(_ url: String?) async throws -> Bool {
                try await stage.ask("GET", url ?? "", as: nil).status == 200
            }
            func goes(_ url: String) async throws -> Bool {
                for _ in 0..<300 {
                    if try await !isThere(url) { return true }
                    try await Task.sleep(for: .milliseconds(100))
                }
                return false
            }
            #expect(try await goes(unseen))
            for url in [first, second, avatar] { #expect(try await isThere(url)) }
            #expect(try await stage.ask("DELETE", elements + "/" + element).status == 200)
            #expect(try await goes(second))
            for url in [first, avatar] { #expect(try await isThere(url)) }
        }
    }
}

/// Pictures that no camera makes.
enum Picture {
    /// A grey PNG of one colour, whatever its size, of a few bytes for each thousand pixels.
    static func png(width: Int, height: Int) -> [UInt8] {
        let header = bigEndian(width) + bigEndian(height) + [8, 0, 0, 0, 0]
        // Rows are compressed a few at a time: all of them would take a gigabyte.
        var content: [UInt8] = []
        var stream = z_stream()
        deflateInit_(&stream, 9, ZLIB_VERSION, Int32(MemoryLayout<z_stream>.size))
        var row = [UInt8](repeating: 0, count: width + 1)
        var output = [UInt8](repeating: 0, count: 64 << 10)
        for number in 0...height {
            let isEnd = number == height
            row.withUnsafeMutableBufferPointer { input in
                stream.next_in = input.baseAddress
                stream.avail_in = isEnd ? 0 : UInt32(input.count)
                repeat {
                    output.withUnsafeMutableBufferPointer { buffer in
                        stream.next_out = buffer.baseAddress
                        stream.avail_out = UInt32(buffer.count)
                        deflate(&stream, isEnd ? Z_FINISH : Z_NO_FLUSH)
                        content += buffer.prefix(buffer.count - Int(stream.avail_out))
                    }
                } while stream.avail_out == 0
            }
        }
        deflateEnd(&stream)
        return [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a] + chunk("IHDR", header) + chunk("IDAT", content)
            + chunk("IEND", [])
    }

    private static func chunk(_ name: String, _ content: [UInt8]) -> [UInt8] {
        let body = Array(name.utf8) + content
        return bigEndian(content.count) + body + bigEndian(Int(crc32(0, body, UInt32(body.count))))
    }

    private static func bigEndian(_ value: Int) -> [UInt8] {
        [24, 16, 8, 0].map { UInt8(value >> $0 & 255) }
    }
}
