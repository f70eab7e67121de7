import Media
import Transport
import Wire

/// A body that brings a file.
protocol ReceivedBody: BodyConsumer {
    /// The file, once the body is whole, and for a chunk the JSON beside it.
    var received: (file: UploadedFile, json: [UInt8]?)? { get }
    /// What has come of the file so far, at most so much as it may have.
    var fileBytes: Int { get }
}

/// Consumes the body of one upload, on threads that may wait for the disk. Its file is deleted with it, unless it is
/// admitted.
final class UploadBody: ReceivedBody, @unchecked Sendable {
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

    var received: (file: UploadedFile, json: [UInt8]?)? {
        upload.finishedFile.map { (UploadedFile(staged: $0, filename: upload.filename, seat: seat), nil) }
    }

    var fileBytes: Int { min(byteCount, fileBytesMax) }
}

/// A received file that was not checked yet.
struct UploadedFile: Sendable {
    let staged: StagedFile
    /// As the client has named it.
    let filename: String?
    private let seat: Seats<ExactText>.Seat

    init(staged: StagedFile, filename: String?, seat: Seats<ExactText>.Seat) {
        self.staged = staged
        self.filename = filename
        self.seat = seat
    }
}
