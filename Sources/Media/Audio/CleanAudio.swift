/// A sound file as it is kept: its sound alone, without what programs and devices wrote about themselves, their owner and
/// their place; and how long it lasts, by what its own structure says.
public struct CleanAudio: Equatable, Sendable {
    /// Seconds.
    public let duration: Double
    public let bytes: [UInt8]
    /// What it proved to be.
    public let format: MediaFormat

    /// Reads a file in the format that its beginning shows.
    public init(_ bytes: [UInt8], format: MediaFormat) throws(AudioError) {
        self = try Self.read(bytes.span, format)
    }

    private static func read(_ bytes: Span<UInt8>, _ format: MediaFormat) throws(AudioError) -> CleanAudio {
        switch format {
        case .wav: return try WAVFile(bytes).clean
        case .mp3, .aac: return try FrameStream.clean(bytes)
        case .ogg: return try OggFile(bytes).clean()
        case .m4a: return try MovieFile.clean(bytes)
        case .jpeg, .png, .webp, .heic, .mp4, .mov: throw .unsupported
        }
    }

    init(duration: Double, bytes: [UInt8], format: MediaFormat) throws(AudioError) {
        guard duration.isFinite, duration >= 0.001, duration < Self.secondsMax else {
            throw .damaged("It has no length that a recording can have.")
        }
        // Clients need no more than thousandths.
        self.duration = (duration * 1000).rounded() / 1000
        self.bytes = bytes
        self.format = format
    }

    /// A day. A longer duration is a forged number.
    private static let secondsMax = 86_400.0
}

/// Why a file is not taken as sound.
public enum AudioError: Error, Equatable, Sendable {
    /// It is another format than was thought, or has a codec that is not accepted.
    case unsupported
    /// Its structure is broken; the sentence says where.
    case damaged(String)
}
