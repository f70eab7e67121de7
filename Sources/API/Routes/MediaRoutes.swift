import Media
import Store
import Transport
import Wire

/// Uploads and downloads of files. The name of a file is the permission to read it.
enum MediaRoutes {
    static func all(uploads: RequestRate) -> [APIRoute] {
        [
            APIRoute(
                .post, "/api/upload/avatar", "Uploads the sender's profile picture: JPEG, PNG, WebP or HEIC.",
                access: .token,
                body: .file(.avatar), answer: .one("UploadedAvatar"), status: 201, failures: [507], rate: uploads,
                uploadAvatar),
            APIRoute(
                .post, "/api/upload/photo", "Uploads a photo: JPEG, PNG, WebP or HEIC.", access: .profileUnlessOpen,
                body: .file(.photo), answer: .one("UploadedPhoto"), status: 201, failures: [507], rate: uploads,
                uploadPhoto),
            APIRoute(
                .post, "/api/upload/audio", "Uploads a recording: AAC or M4A, MP3, WAV or Ogg.",
                access: .profileUnlessOpen, body: .file(.audio), answer: .one("UploadedAudio"), status: 201,
                failures: [507], rate: uploads, uploadAudio),
            APIRoute(
                .get, "/media/{key}",
                "An uploaded file, whole or a part of it (Range). Its name is the only permission.",
                access: .everybody,
                query: [
                    Field(
                        "size", .integer(1...100_000), "For an image: its smallest copy with at least this many pixels."
                    )
                ], answer: .file, failures: [404, 416], file),
        ]
    }

    // MARK: In

    @Sendable private static func uploadAvatar(
        _ request: APIRequest, _ api: APIContext
    ) async throws(APIError) -> APIReply {
        try await upload(.avatar, request, api) { json, url, _ in json.member("avatarUrl", url) }
    }

    @Sendable private static func uploadPhoto(
        _ request: APIRequest, _ api: APIContext
    ) async throws(APIError) -> APIReply {
        try await upload(.photo, request, api) { json, url, file in
            json.member("imageUrl", url)
            json.member("width", file.width ?? 0)
            json.member("height", file.height ?? 0)
        }
    }

    @Sendable private static func uploadAudio(
        _ request: APIRequest, _ api: APIContext
    ) async throws(APIError) -> APIReply {
        try await upload(.audio, request, api) { json, url, file in
            json.member("audioUrl", url)
            json.member("duration", file.duration ?? 0)
        }
    }

    private static func upload(
        _ kind: MediaKind, _ request: APIRequest, _ api: APIContext,
        _ tell: (inout JSONWriter, _ url: String, StoredMedia) -> Void
    ) async throws(APIError) -> APIReply {
        guard let media = api.media, let uploaded = request.file else { throw .malformed("A file is needed.") }
        // The profile picture may come before there is an account.
        if request.sender?.account?.email != request.email { _ = try await api.signIn(request) }
        let file = try await media.admit(uploaded.staged, kind)
        let record = MediaRecord(
            key: file.key.description, owner: request.subject, kind: kind.rawValue, mime: file.key.format.mediaType,
            byteCount: Int64(file.byteCount), width: file.width.map(Int64.init), height: file.height.map(Int64.init),
            duration: file.duration, createdAt: request.now)
        try await media.keep([file.key]) { () async throws(APIError) in
            try await api.ask { $0.addMedia(record, then: $1) }
        }
        let url = "\(request.serverURL)/media/\(file.key)"
        var reply = APIReply.data(status: 201) { json in
            json.beginObject()
            tell(&json, url, file)
            json.endObject()
        }
        reply.headers = [("Location", "/media/\(file.key)")]
        return reply
    }

    // MARK: Out

    @Sendable private static func file(_ request: APIRequest, _ api: APIContext) async throws(APIError) -> APIReply {
        let size = request.query.integer("size").map(Int.init)
        guard let media = api.media, let key = MediaKey(request.parameter("key")),
            let file = try await media.open(key, size: size, for: request.address)
        else { throw .notFound("file") }
        var answer = FileAnswer(
            file: file, tag: "\"\(key)-\(file.size)\"", mediaType: key.format.mediaType,
            cacheControl: "max-age=31536000, immutable")
        // Opened alone, a file must not act as anything but a picture or a recording.
        answer.headers = [("Content-Security-Policy", "default-src 'none'; sandbox")]
        return APIReply(file: answer)
    }
}
