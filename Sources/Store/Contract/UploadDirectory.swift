/// Files that users upload in chunks, and files that an application keeps for as long as its user has an account.
package protocol UploadDirectory: Sendable {
    /// Begins an upload. Throws `conflict` past `StoreLimits.openUploadsMax` of a user.
    func beginUpload(_ upload: Upload, then answer: @escaping Answer<Void>)
    /// Nil when the user has no such upload, or it was abandoned.
    func upload(_ id: String, of account: String, at now: Int64, then answer: @escaping Answer<UploadState?>)
    /// Notes that a chunk has arrived, and answers the bytes that have arrived by now. A chunk that comes again counts once.
    /// Nil when the user has no such upload, or it is complete, has failed or was abandoned.
    func noteChunk(
        _ number: Int, bytes: Int64, of id: String, _ account: String, at now: Int64,
        then answer: @escaping Answer<Int64?>)
    /// Completes an upload: its files are kept until the account ends, and its chunks are not needed any more. Answers how the
    /// upload is then: if an earlier call has completed it or noted its failure, the new files are of no use. Nil when the user
    /// has no such upload, or it was abandoned.
    func completeUpload(
        _ id: String, of account: String, with files: [MediaRecord], at now: Int64,
        then answer: @escaping Answer<UploadState?>)
    /// Notes an attempt to complete an upload that has failed because of its file. With the last one the upload has failed: what is
    /// wrong is kept, the chunks are not needed any more, and it stays until its end to answer for itself. Answers how the upload is
    /// then: an earlier call may have completed it. Nil as above.
    ///
    /// - Parameter attemptsMax: so many attempts are made.
    func failUpload(
        _ id: String, of account: String, because failure: String, attemptsMax: Int, at now: Int64,
        then answer: @escaping Answer<UploadState?>)
    /// Keeps files that came at once. Throws `conflict` past `StoreLimits.uploadsMax`.
    func keepUpload(_ upload: Upload, with files: [MediaRecord], then answer: @escaping Answer<Void>)
    /// Uploads whose time is over: they were abandoned or have failed, or their users are gone. They stay until they are removed.
    func abandonedUploads(at now: Int64, limit: Int, then answer: @escaping Answer<[String]>)
    /// Whether chunks of an upload may be needed.
    func isOpenUpload(_ id: String, then answer: @escaping Answer<Bool>)
    func removeUploads(_ ids: [String], then answer: @escaping Answer<Void>)
}

package struct Upload: Sendable, Equatable {
    package let id: String
    package let account: String
    package let filename: String
    /// As the client says.
    package let mime: String
    package let byteCount: Int64
    package let chunkBytes: Int64
    package let createdAt: Int64
    /// When it is abandoned; nil for one that came at once.
    package let endsAt: Int64?

    package init(
        id: String, account: String, filename: String, mime: String, byteCount: Int64, chunkBytes: Int64,
        createdAt: Int64, endsAt: Int64?
    ) {
        self.id = id
        self.account = account
        self.filename = filename
        self.mime = mime
        self.byteCount = byteCount
        self.chunkBytes = chunkBytes
        self.createdAt = createdAt
        self.endsAt = endsAt
    }

    /// Chunks count from 1.
    package var chunkCount: Int { Int((byteCount + chunkBytes - 1) / chunkBytes) }

    /// The bytes that a chunk has to have; nil when there is no such chunk.
    package func bytes(ofChunk number: Int) -> Int64? {
        guard 1...max(chunkCount, 1) ~= number else { return nil }
        return min(chunkBytes, byteCount - Int64(number - 1) * chunkBytes)
    }
}

package struct UploadState: Sendable, Equatable {
    package let upload: Upload
    /// The numbers of the chunks that have arrived, ascending.
    package let chunks: [Int]
    /// What it was made into; empty until it is complete.
    package let files: [MediaRecord]
    /// The fault of its file, as `MediaError.verdict` names it; nil without one.
    package let failure: String?
}
