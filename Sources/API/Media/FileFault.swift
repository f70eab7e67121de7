import Media

/// What was wrong with an uploaded file, for applications whose failures say more of it than a sentence.
struct FileFault: Sendable {
    let error: MediaError
    /// Whether this is kept as the answer of an upload, so that no further attempt is made.
    var isKept = false
    /// As far as they are known: the bytes of the file, or of the request that brought it.
    var byteCount: Int?
    /// As the client has named the file.
    var filename: String?
    /// What keeps files: `disk`, or `S3`.
    var service = "disk"
}
