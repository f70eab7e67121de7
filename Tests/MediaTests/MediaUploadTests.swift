import Foundation
import Testing
import Wire

@testable import Media

struct MediaUploadTests {
    private func part(_ name: String, _ content: [UInt8], filename: String? = "a.jpg") -> [UInt8] {
        let file = filename.map { "; filename=\"\($0)\"" } ?? ""
        return Array("--B\r\nContent-Disposition: form-data; name=\"\(name)\"\(file)\r\n\r\n".utf8) + content + [
            13, 10,
        ]
    }

    private let end = Array("--B--\r\n".utf8)

    /// Feeds a form in pieces, as the network would.
    private func upload(
        _ form: [UInt8], _ kind: MediaKind, _ stage: Stage, pieceBytes: Int = 1_000
    ) throws -> StagedFile? {
        let upload = stage.library.upload(kind, boundary: try #require(MultipartBoundary("B")))
        var start = 0
        while start < form.count {
            try upload.take(Array(form[start..<min(start + pieceBytes, form.count)]))
            start += pieceBytes
        }
        try upload.finish()
        return upload.finishedFile
    }

    @Test(arguments: [1, 7, 1_000, 100_000])
    func `the file of a form is admitted as it was sent`(pieceBytes: Int) throws {
        let stage = try Stage()
        let form = try part("photo", Fixture.bytes("corners.jpg")) + end
        let file = try #require(try upload(form, .photo, stage, pieceBytes: pieceBytes))
        #expect(file.byteCount == (try Fixture.bytes("corners.jpg").count))
        let media = try stage.library.admit(file, .photo)
        #expect(media.width == 600)
    }

    @Test func `fields beside the file do no harm, a second file does`() throws {
        let stage = try Stage()
        let photo = try part("photo", Fixture.bytes("corners.jpg"))
        let field = part("caption", Array("text".utf8), filename: nil)
        #expect(try upload(field + photo + field + end, .photo, stage) != nil)
        #expect(throws: MediaError.unexpectedPart) { try upload(photo + photo + end, .photo, stage) }
        #expect(throws: MediaError.unexpectedPart) { try upload(photo + part("b", [1]) + end, .photo, stage) }
    }

    @Test func `a form without its file is refused`() throws {
        let stage = try Stage()
        let nothing = MediaError.noFile(field: "avatar", other: nil)
        #expect(throws: nothing) { try upload(end, .avatar, stage) }
        #expect(throws: nothing) { try upload(part("avatar", []) + end, .avatar, stage) }
        #expect(throws: MediaError.form(.truncated)) { try upload(part("avatar", [1]), .avatar, stage) }
        #expect(throws: MediaError.form(.malformedBoundary)) { try upload(Array("--Bx".utf8), .avatar, stage) }
        #expect(stage.directory.files.isEmpty)
    }

    @Test(arguments: [nil, "a.jpg"]) func `a file in another field is told where it belongs`(filename: String?) throws {
        let stage = try Stage()
        let form = part("image", [1], filename: filename) + end
        let error = #expect(throws: MediaError.noFile(field: "photo", other: "image")) {
            try upload(form, .photo, stage)
        }
        #expect(error?.reason == "The form has a field \"image\"; the file belongs in the field \"photo\".")
        let odd = part("im\u{202e}" + String(repeating: "x", count: 100), [1]) + end
        #expect(throws: MediaError.noFile(field: "photo", other: "im" + String(repeating: "x", count: 62))) {
            try upload(odd, .photo, stage)
        }
    }

    @Test func `a file is refused as soon as it is too large`() throws {
        let stage = try Stage { $0.avatarBytesMax = 5_000 }
        #expect(throws: MediaError.tooLarge(bytesMax: 5_000)) {
            try upload(part("avatar", [UInt8](repeating: 0, count: 5_001)) + end, .avatar, stage)
        }
        #expect(try upload(part("avatar", [UInt8](repeating: 0, count: 5_000)) + end, .avatar, stage) != nil)
        #expect(stage.directory.files.isEmpty)
    }

    @Test func `an upload that is given up leaves nothing`() throws {
        let stage = try Stage()
        var upload: MediaUpload? = stage.library.upload(.photo, boundary: try #require(MultipartBoundary("B")))
        try upload?.take(part("photo", [1, 2, 3]))
        #expect(stage.directory.files.count == 1)
        #expect(upload?.finishedFile == nil)
        upload = nil
        #expect(stage.directory.files.isEmpty)
    }

    @Test func `the bounds are those of the interface`() {
        let limits = MediaLimits()
        #expect(MediaKind.allCases.map(limits.bytesMax) == [5_000_000, 15_000_000, 25_000_000, 52_428_800])
        #expect(limits.bodyBytesMax(.avatar) > 5_000_000)
        for error in [MediaError.damaged, .storeFailed("/secret/path"), .workerFailed("/secret/path")] {
            #expect((400..<600).contains(error.httpStatus))
            #expect(!error.reason.contains("secret"))
        }
    }
}
