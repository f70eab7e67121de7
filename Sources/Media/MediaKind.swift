/// What an upload is for.
public enum MediaKind: String, Sendable, CaseIterable {
    case avatar
    case photo
    case audio

    /// The form's field that has the file.
    public var fieldName: String { rawValue }

    public func accepts(_ format: MediaFormat) -> Bool {
        format.isImage == (self != .audio)
    }
}
