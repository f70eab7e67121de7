/// What an upload is for.
public enum MediaKind: String, Sendable, CaseIterable {
    case avatar
    case photo
    case audio
    /// Of an application that takes photos and videos by one route, also in chunks.
    case upload

    /// The form's field that has the file.
    public var fieldName: String { self == .upload ? "file" : rawValue }

    public func accepts(_ format: MediaFormat) -> Bool {
        switch self {
        case .avatar, .photo: format.isImage
        case .audio: !format.isImage && !format.isVideo
        case .upload: format.isVideo || format == .jpeg || format == .png || format == .heic
        }
    }
}
