/// The uploaded files, and the elements and profiles that show them.
package protocol MediaIndex: Sendable {
    func addMedia(_ media: MediaRecord, then answer: @escaping Answer<Void>)
    func media(_ key: String, then answer: @escaping Answer<MediaRecord?>)

    /// Sets the files that a holder shows, in place of earlier ones. Files of elements come with the entries of the
    /// journal; this is for others, such as profile pictures.
    func setMedia(_ keys: [String], shownBy holder: String, then answer: @escaping Answer<Void>)

    /// Files that nothing shows and that are older than a time, the oldest first.
    func orphanedMedia(
        createdBefore time: Int64, limit: Int, then answer: @escaping Answer<[MediaRecord]>)
    /// Removes those of the files that still nothing shows, and answers which those are. Their bytes may be deleted
    /// then.
    func removeOrphanedMedia(_ keys: [String], then answer: @escaping Answer<[String]>)
}

package struct MediaRecord: Sendable, Equatable {
    package let key: String
    package let owner: String
    /// `avatar`, `photo` or `audio`.
    package let kind: String
    package let mime: String
    package let byteCount: Int64
    package let width: Int64?
    package let height: Int64?
    /// Seconds.
    package let duration: Double?
    package let createdAt: Int64

    package init(
        key: String, owner: String, kind: String, mime: String, byteCount: Int64, width: Int64? = nil,
        height: Int64? = nil, duration: Double? = nil, createdAt: Int64
    ) {
        self.key = key
        self.owner = owner
        self.kind = kind
        self.mime = mime
        self.byteCount = byteCount
        self.width = width
        self.height = height
        self.duration = duration
        self.createdAt = createdAt
    }
}
