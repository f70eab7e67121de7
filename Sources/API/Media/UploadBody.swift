import Media
import Transport
import Wire

/// Consumes the body of one upload, on threads that may wait for the disk. Its file is deleted with it, unless it is
/// admitted.
final class UploadBody: BodyConsumer, @unchecked Sendable {
    private let upload: MediaUpload
    private let bytesMax: Int
    private let fileBytesMax: Int
    private var byteCount = 0
    private let seat: Seats<ExactText>.Seat

    /// - Parameter told: the length of the body, if the request states it.
    init(
        _ kind: MediaKind, _ boundary: MultipartBoundary, told: Int?, _ library: MediaLibrary,
        _ seat: Seats<ExactText>.Seat
    ) {
        upload = library.upload(kind, boundary: boundary, told: told)
        bytesMax = library.limits.bodyBytesMax(kind)
        fileBytesMax = library.limits.bytesMax(kind)
        self.seat = seat
    }

    func take(_ bytes: [UInt8]) throws {
        byteCount += bytes.count
        // Unexpected fields count as well. Otherwise they could go on for ever.
        guard byteCount <= bytesMax else { throw MediaError.tooLarge(bytesMax: fileBytesMax) }
        try upload.take(bytes)
    }

    func finish() throws {
        try upload.finish()
    }

    /// The file, once the body is whole.
    var file: UploadedFile? { upload.finishedFile.map { UploadedFile(staged: $0, seat: seat) } }
}

/// A received file that was not checked yet.
struct UploadedFile: Sendable {
    let staged: StagedFile
    private let seat: Seats<ExactText>.Seat

    init(staged: StagedFile, seat: Seats<ExactText>.Seat) {
        self.staged = staged
        self.seat = seat
    }
}
