import Accounts
import Media
import Store
import Wire

/// Photos and videos, in one request or in chunks. They are kept as long as the sender has an account.
enum MueJamUploads {
    private static let thumbnailSide = 320
    private static let types = [
        "image/heic", "image/heif", "image/jpeg", "image/jpg", "image/png", "video/mp4", "video/quicktime",
        // Of a client that does not know.
        "application/octet-stream",
    ]
    /// Files that one person has made of chunks. Each is as much work as an upload, whatever its request has.
    private static let makings = APILimits.rate(perSecond: APILimits().uploadsPerSecondMax)
    private static let session = Field("session_id", .text(1...64), required: true)

    static let all: [MueJamRoute] = [
        MueJamRoute(
            .post, "/muejam/v1/uploads/media", "Uploads a photo (HEIC, HEIF, JPEG, PNG) or a video (MP4, MOV).",
            body: .file(.upload), answer: .bare("Upload"), failures: [422, 502, 504], upload),
        MueJamRoute(
            .post, "/muejam/v1/uploads/chunked/init", "Begins the upload of a large file in chunks.",
            body: [
                Field("filename", .text(1...255), required: true),
                Field("total_size", .integer(1...1 << 50), required: true, "Bytes."),
                Field("content_type", .text(1...128), required: true),
            ], answer: .bare("UploadSession"), failures: [409, 413], begin),
        MueJamRoute(
            .post, "/muejam/v1/uploads/chunked/chunk",
            "Brings a chunk, in any order. A chunk that comes again takes the place of the first.",
            body: .chunk([session, Field("chunk_number", .integer(1...1_000_000), required: true, "From 1.")]),
            answer: .bare("UploadProgress"), failures: [404, 409, 502], takeChunk),
        MueJamRoute(
            .post, "/muejam/v1/uploads/chunked/complete",
            "Makes a file of the chunks. Repeated, it answers the same.",
            body: [session], answer: .bare("Upload"), failures: [404, 409, 502, 504], complete),
    ]

    // MARK: At once

    @Sendable private static func upload(
        _ request: MueJamRequest, _ context: MueJamContext
    ) async throws(APIError) -> APIReply {
        let media = try context.media
        guard let uploaded = request.file else { throw .malformed("A file is needed.") }
        let person = try request.person()
        let file: StoredMedia
        do throws(APIError) {
            file = try await media.admit(uploaded.staged, .upload)
        } catch {
            throw error.named(uploaded.filename)
        }
        let upload = Upload(
            id: PhoneID.new(), account: person.id, filename: uploaded.filename ?? "", mime: file.key.format.mediaType,
            byteCount: Int64(file.byteCount), chunkBytes: Int64(max(file.byteCount, 1)), createdAt: request.now,
            endsAt: nil)
        let records = records(of: file, person.id, at: request.now)
        try await media.keep(records.compactMap { MediaKey($0.key) }) { () async throws(APIError) in
            try await context.ask { $0.keepUpload(upload, with: records, then: $1) }
        }
        return reply(upload.id, records, request.serverURL)
    }

    private static func records(of file: StoredMedia, _ owner: String, at now: Int64) -> [MediaRecord] {
        let whole = MediaRecord(
            key: file.key.description, owner: owner, kind: MediaKind.upload.rawValue, mime: file.key.format.mediaType,
            byteCount: Int64(file.byteCount), width: file.width.map(Int64.init), height: file.height.map(Int64.init),
            duration: file.duration, createdAt: now)
        let poster = file.poster.map { poster in
            MediaRecord(
                key: poster.key.description, owner: owner, kind: MediaKind.upload.rawValue,
                mime: poster.key.format.mediaType, byteCount: Int64(poster.byteCount), createdAt: now)
        }
        return [whole] + [poster].compactMap(\.self)
    }

    private static func reply(_ id: String, _ files: [MediaRecord], _ serverURL: String) -> APIReply {
        .bare { json in
            json.beginObject()
            json.member("id", id)
            if let file = files.first {
                let url = "\(serverURL)/media/\(file.key)"
                json.member("url", url)
                // A video has its picture as a file of its own.
                let thumbnail = files.dropFirst().first.map { "\(serverURL)/media/\($0.key)" }
                json.member("thumbnail_url", thumbnail ?? url + "?size=\(thumbnailSide)")
                json.member("size", Int(file.byteCount))
                json.member("format", MediaKey(file.key)?.format.rawValue ?? "")
                if let width = file.width { json.member("width", Int(width)) }
                if let height = file.height { json.member("height", Int(height)) }
                if let duration = file.duration { json.member("duration", duration) }
            }
            json.endObject()
        }
    }

    // MARK: In chunks

    @Sendable private static func begin(
        _ request: MueJamRequest, _ context: MueJamContext
    ) async throws(APIError) -> APIReply {
        let limits = try context.media.library.limits
        let (size, type) = (request.body.integer("total_size") ?? 0, request.body.text("content_type") ?? "")
        guard size <= limits.chunkedBytesMax else {
            throw .fileTooLarge(Int(size), most: limits.chunkedBytesMax)
        }
        let filename = request.body.text("filename") ?? ""
        guard types.contains(type.lowercased()) else {
            let ending = APIError.format(of: filename)
            throw .unsupportedFormat(
                ending == "unknown" ? String(type.split(separator: "/").last ?? "").lowercased() : ending)
        }
        let upload = Upload(
            id: PhoneID.new(), account: try request.person().id, filename: filename, mime: type, byteCount: size,
            chunkBytes: Int64(limits.chunkBytes), createdAt: request.now,
            endsAt: request.now + Int64(limits.chunkedSecondsMax))
        try await context.ask { $0.beginUpload(upload, then: $1) }
        return .bare { json in
            json.beginObject()
            json.member("session_id", upload.id)
            json.member("chunk_size", Int(upload.chunkBytes))
            json.member("expires_at", UTCTime.text(upload.endsAt ?? 0))
            json.endObject()
        }
    }

    @Sendable private static func takeChunk(
        _ request: MueJamRequest, _ context: MueJamContext
    ) async throws(APIError) -> APIReply {
        let media = try context.media
        guard let chunk = request.file?.staged else { throw .malformed("A chunk is needed.") }
        let (state, person) = try await session(request, context)
        guard try media.files(of: state) == nil else { throw .conflict("The upload is complete.") }
        let number = Int(request.body.integer("chunk_number") ?? 0)
        guard let expected = state.upload.bytes(ofChunk: number) else {
            throw .invalid("chunk_number", "must be from 1 to \(state.upload.chunkCount).")
        }
        guard chunk.byteCount == expected else {
            throw .invalid("chunk_data", "has \(chunk.byteCount) bytes, but chunk \(number) must have \(expected).")
        }
        do throws(APIError) {
            try await media.keepChunk(chunk, number: number, of: state.upload.id, .upload)
        } catch {
            throw error.named(state.upload.filename)
        }
        let received = try await context.ask {
            $0.noteChunk(number, bytes: expected, of: state.upload.id, person, at: request.now, then: $1)
        }
        guard let received else { throw .notFound("upload session") }
        return .bare { json in
            json.beginObject()
            json.member("chunk_number", number)
            json.member("status", "received")
            json.member("progress", Double(received * 1_000 / state.upload.byteCount) / 10)
            json.endObject()
        }
    }

    private static func session(
        _ request: MueJamRequest, _ context: MueJamContext
    ) async throws(APIError) -> (UploadState, person: String) {
        let (id, person) = (request.body.text("session_id") ?? "", try request.person().id)
        let state = try await context.ask { $0.upload(id, of: person, at: request.now, then: $1) }
        guard let state, state.upload.endsAt != nil || !state.files.isEmpty else { throw .notFound("upload session") }
        return (state, person)
    }

    /// A session has one answer. Requests that come during the work wait for it; later ones get the answer that the store has
    /// kept.
    @Sendable private static func complete(
        _ request: MueJamRequest, _ context: MueJamContext
    ) async throws(APIError) -> APIReply {
        let media = try context.media
        let (state, _) = try await session(request, context)
        var files = try media.files(of: state)
        if files == nil {
            let result = await media.completions.result(of: state.upload.id) {
                do throws(APIError) {
                    return .success(try await makeFile(request, context))
                } catch {
                    return .failure(error)
                }
            }
            guard let result else { throw .unavailable("The file is being made; ask again in a moment.") }
            files = try result.get()
        }
        return reply(state.upload.id, files ?? [], request.serverURL)
    }

    private static func makeFile(
        _ request: MueJamRequest, _ context: MueJamContext
    ) async throws(APIError) -> [MediaRecord] {
        let media = try context.media
        // The work of another request may have ended just now.
        let (state, person) = try await session(request, context)
        let upload = state.upload
        if let files = try media.files(of: state) { return files }
        guard state.chunks.count == upload.chunkCount else { throw .incomplete(state) }
        let seat = try media.seat(of: person)
        defer { withExtendedLifetime(seat) {} }
        try context.count(makings, of: try request.person(), at: request.now)
        let file: StoredMedia
        do throws(APIError) {
            file = try await media.admit(chunksOf: upload, .upload)
        } catch {
            return try await fail(upload, of: person, error, request, context)
        }
        let records = records(of: file, person, at: request.now)
        let keys = records.compactMap { MediaKey($0.key) }
        let kept = try await media.keep(keys) { () async throws(APIError) in
            try await context.ask {
                $0.completeUpload(upload.id, of: person, with: records, at: request.now, then: $1)
            }
        }
        // Another node may have found the answer meanwhile, or the session has come to its end.
        if kept?.files.map(\.key) != records.map(\.key) { await media.delete(keys) }
        guard let kept, let files = try media.files(of: kept) else { throw .notFound("upload session") }
        await media.deleteChunks(of: [upload.id])
        return files
    }

    /// Keeps what is wrong with the file as the answer of its session. What may pass is kept when several attempts have found it.
    private static func fail(
        _ upload: Upload, of person: String, _ error: APIError, _ request: MueJamRequest, _ context: MueJamContext
    ) async throws(APIError) -> [MediaRecord] {
        let media = try context.media
        guard let fault = error.file?.error, let verdict = fault.verdict else {
            // Another node may have completed it meanwhile, and deleted the chunks.
            let state = try? await session(request, context).0
            if let files = try state.flatMap({ state throws(APIError) in try media.files(of: state) }) { return files }
            throw error.named(upload.filename)
        }
        let kept = try await context.ask {
            $0.failUpload(
                upload.id, of: person, because: verdict, attemptsMax: fault.attemptsOfVerdict, at: request.now, then: $1
            )
        }
        guard let kept else { throw .notFound("upload session") }
        let isTriedAgain = kept.failure == nil && kept.files.isEmpty
        if !isTriedAgain { await media.deleteChunks(of: [upload.id]) }
        if let files = try media.files(of: kept) { return files }
        throw error.named(upload.filename)
    }
}

extension MediaService {
    /// The files that an upload was made into; nil before the first attempt. Throws the fault of its file.
    fileprivate func files(of state: UploadState) throws(APIError) -> [MediaRecord]? {
        guard let failure = state.failure else { return state.files.isEmpty ? nil : state.files }
        var error = APIError(MediaError(verdict: failure)).named(state.upload.filename)
        error.file?.isKept = true
        throw error
    }
}

extension AppContext {
    fileprivate var media: MediaService {
        get throws(APIError) {
            guard let media = options.media, media.hasWorker else {
                throw .unavailable("This server cannot process files, so it accepts no uploads. Its log says why.")
            }
            return media
        }
    }
}

extension APIError {
    private static let missingMax = 100

    /// With the name of the file that was wrong.
    fileprivate func named(_ filename: String?) -> APIError {
        var error = self
        error.file?.filename = filename
        return error
    }

    fileprivate static func incomplete(_ state: UploadState) -> APIError {
        let arrived = Set(state.chunks)
        let missing = (1...max(state.upload.chunkCount, 1)).filter { !arrived.contains($0) }
        return mueJam(
            409, "UPLOAD_INCOMPLETE", "Chunks of the file are missing",
            guidance: "Upload the missing chunks and complete the upload again"
        ) { json in
            json.member("missing_count", missing.count)
            json.key("missing_chunks")
            json.beginArray()
            for number in missing.prefix(missingMax) { json.int(number) }
            json.endArray()
        }
    }
}
