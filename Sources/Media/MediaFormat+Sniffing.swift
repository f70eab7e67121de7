import Wire

extension MediaFormat {
    /// As many of a file's first bytes as `init(beginning:)` may look at.
    public static let sniffedBytes = 64

    /// Judges a file by its beginning; nil for a format that is not accepted. The name and the type from the client do
    /// not count. This alone does not either: the file is then read completely in this format.
    public init?(beginning bytes: Span<UInt8>) {
        if bytes.has([0xff, 0xd8, 0xff], at: 0) {
            self = .jpeg
        } else if bytes.has([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a], at: 0) {
            self = .png
        } else if bytes.has("RIFF", at: 0), bytes.has("WEBP", at: 8) {
            self = .webp
        } else if bytes.has("RIFF", at: 0), bytes.has("WAVE", at: 8) {
            self = .wav
        } else if bytes.has("OggS", at: 0) {
            self = .ogg
        } else if bytes.has("ftyp", at: 4) {
            guard let format = Self.ofBrands(bytes) else { return nil }
            self = format
        } else if bytes.has("ID3", at: 0) {
            // The frames behind the tag decide between this and AAC.
            self = .mp3
        } else if let header = bytes.bigEndian16(at: 0), header & 0xfff6 == 0xfff0 {
            self = .aac
        } else if let header = bytes.bigEndian16(at: 0), header & 0xffe6 == 0xffe2 {
            self = .mp3
        } else {
            return nil
        }
    }

    /// The same for a kind of upload: what could be sound or a video is what the kind accepts.
    init?(beginning bytes: Span<UInt8>, of kind: MediaKind) {
        let format = MediaFormat(beginning: bytes)
        guard kind == .upload, format == nil || format == .m4a else {
            guard let format else { return nil }
            self = format
            return
        }
        if format == .m4a {
            self = bytes.has("qt  ", at: 8) ? .mov : .mp4
        } else if Self.oldMovieBoxes.contains(where: { bytes.has($0, at: 4) }) {
            self = .mov
        } else {
            return nil
        }
    }

    /// What files of QuickTime begin with that name no brands.
    private static let oldMovieBoxes = ["moov", "mdat", "wide", "free", "skip", "pnot"]

    /// By the brands that an ISO media file says it is compatible with.
    private static func ofBrands(_ bytes: Span<UInt8>) -> MediaFormat? {
        guard let size = bytes.bigEndian32(at: 0) else { return nil }
        let end = min(Int(size), bytes.count)
        var isHEIC = false
        var isAudio = false
        var index = 8
        while index + 4 <= end {
            if heicBrands.contains(where: { bytes.has($0, at: index) }) { isHEIC = true }
            if movieBrands.contains(where: { bytes.has($0, at: index) }) { isAudio = true }
            // The minor version stands behind the major brand.
            index += index == 8 ? 8 : 4
        }
        if heicBrands.contains(where: { bytes.has($0, at: 8) }) || isHEIC && !isAudio { return .heic }
        return isAudio ? .m4a : nil
    }

    private static let heicBrands = ["heic", "heix", "heim", "heis", "hevc", "hevx", "hevm", "hevs"]
    private static let movieBrands = [
        "M4A ", "M4B ", "mp41", "mp42", "isom", "iso2", "iso3", "iso4", "iso5", "iso6", "iso8", "iso9", "dash", "3gp4",
        "3gp5", "3gp6", "qt  ", "MSNV", "F4A ",
    ]
}
