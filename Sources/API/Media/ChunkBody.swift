import Media
import Transport
import Wire

/// Consumes a chunk of a file in base64 within JSON, on threads that may wait for the disk. No more of it is in memory than
/// what has just arrived.
final class ChunkBody: ReceivedBody, @unchecked Sendable {
    /// What stands in the JSON beside the chunk.
    private static let restBytesMax = 4_096

    private let library: MediaLibrary
    private let seat: Seats<ExactText>.Seat
    private var filter = JSONBytesFilter(member: "chunk_data", restBytesMax: ChunkBody.restBytesMax)
    private var file: StagedFile?
    private var rest: [UInt8]?

    init(_ library: MediaLibrary, _ seat: Seats<ExactText>.Seat) {
        self.library = library
        self.seat = seat
    }

    static func bodyBytesMax(_ limits: MediaLimits) -> Int {
        // Every slash may be escaped.
        2 * Base64.encodedCount(limits.chunkBytes) + restBytesMax
    }

    func take(_ piece: [UInt8]) throws {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(piece.count)
        do throws(JSONBytesFilter.Fault) {
            try filter.take(piece.span, into: &bytes)
        } catch {
            throw Self.error(error)
        }
        guard !bytes.isEmpty else { return }
        let file = try self.file ?? library.store.stage(bytes: library.limits.chunkBytes)
        self.file = file
        guard file.byteCount + bytes.count <= library.limits.chunkBytes else {
            throw APIError.invalid("chunk_data", "has more than \(library.limits.chunkBytes) bytes.")
        }
        try file.write(bytes.span)
    }

    func finish() throws {
        do throws(JSONBytesFilter.Fault) {
            rest = try filter.finish()
        } catch {
            throw Self.error(error)
        }
        guard filter.hasBytes, file != nil else { throw APIError.invalid("chunk_data", "is missing.") }
    }

    private static func error(_ fault: JSONBytesFilter.Fault) -> APIError {
        switch fault {
        case .restTooLong: .malformed("The body has too much beside chunk_data.")
        case .repeated: .malformed("The body must have one chunk_data.")
        case .notBase64: .invalid("chunk_data", "must be base64.")
        case .incomplete: .malformed("The body must be JSON.")
        }
    }

    var received: (file: UploadedFile, json: [UInt8]?)? {
        guard let file, let rest else { return nil }
        return (UploadedFile(staged: file, filename: nil, seat: seat), rest)
    }

    var fileBytes: Int { file?.byteCount ?? 0 }
}
