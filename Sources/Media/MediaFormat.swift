/// How a file is encoded, as its bytes tell.
public enum MediaFormat: String, Sendable, CaseIterable {
    case jpeg, png, webp, heic
    /// AAC or another codec for music in an MPEG-4 file.
    case m4a
    /// AAC as a bare stream (ADTS).
    case aac
    case mp3, wav
    /// Opus or Vorbis.
    case ogg
    /// Pictures and sound in an MPEG-4 file, or in one of QuickTime.
    case mp4, mov

    public var isImage: Bool {
        switch self {
        case .jpeg, .png, .webp, .heic: true
        case .m4a, .aac, .mp3, .wav, .ogg, .mp4, .mov: false
        }
    }

    public var isVideo: Bool { self == .mp4 || self == .mov }

    /// What it is stored as: browsers other than Safari do not show HEIC.
    public var stored: MediaFormat { self == .heic ? .jpeg : self }

    public var mediaType: String {
        switch self {
        case .jpeg: "image/jpeg"
        case .png: "image/png"
        case .webp: "image/webp"
        case .heic: "image/heic"
        case .m4a: "audio/mp4"
        case .aac: "audio/aac"
        case .mp3: "audio/mpeg"
        case .wav: "audio/wav"
        case .ogg: "audio/ogg"
        case .mp4: "video/mp4"
        case .mov: "video/quicktime"
        }
    }

    public var fileExtension: String { self == .jpeg ? "jpg" : rawValue }

    public init?(fileExtension: Substring) {
        guard let format = Self.allCases.first(where: { $0.fileExtension == fileExtension }) else { return nil }
        self = format
    }
}
