/// Every bound on uploaded files, its unit last in its name.
public struct MediaLimits: Sendable {
    /// The files themselves. Past it: `tooLarge`.
    public var avatarBytesMax = 5_000_000
    public var photoBytesMax = 15_000_000
    public var audioBytesMax = 25_000_000
    /// Photos and videos of applications, in one request and in chunks.
    public var uploadBytesMax = 50 << 20
    public var chunkedBytesMax = 500_000_000
    /// A chunk of those. The last one may be smaller.
    public var chunkBytes = 5 << 20
    /// How long the chunks may take. Past it: the upload is abandoned.
    public var chunkedSecondsMax = 86_400
    /// What a form may have beside its file: boundaries and headers.
    public var formBytesMax = 8_192
    /// Pixels of an image, checked before it is decoded. Phones take photos of 50 million. Past it: `tooManyPixels`.
    public var imagePixelsMax = 64_000_000
    /// The longest side of a stored image. Larger images are made smaller.
    public var avatarSideMax = 1_024
    public var photoSideMax = 4_096
    /// The longest sides of the smaller copies of an image, ascending. One that is not smaller than it is not made.
    public var thumbnailSides = [128, 320, 640, 1_280]
    /// Pixels of a video; 8K has 33 million. Past it: `tooManyPixels`.
    public var videoPixelsMax = 36_000_000
    /// Past it: `tooLong`.
    public var videoSecondsMax = 4 * 3_600
    /// Pictures, sound, subtitles and others. Past it: `damaged`.
    public var videoTracksMax = 16
    /// The longest side of the picture of a video.
    public var posterSideMax = 640
    /// Processor time for one file. Past it: `tooCostly`.
    public var workerSecondsMax = 20
    /// Time by the clock for one file, on a machine that has other things to do. Past it: `unfinished`.
    public var workerMillisecondsMax = 60_000
    /// Addresses that the process may have for one file, its libraries (400 MB) included. Past it: `tooCostly`, or
    /// `unfinished` when a library ends the process.
    public var workerMemoryBytesMax = 1_500_000_000
    /// Whether files are worked on where the process cannot be sealed. Otherwise: `unsealed`.
    public var workerMayBeUnsealed = false
    /// What is left free on the disk. Past it: `storeFull`.
    public var diskFreeBytesMin = 500_000_000

    public init() {}

    public func bytesMax(_ kind: MediaKind) -> Int {
        switch kind {
        case .avatar: avatarBytesMax
        case .photo: photoBytesMax
        case .audio: audioBytesMax
        case .upload: uploadBytesMax
        }
    }

    /// The whole body of an upload.
    public func bodyBytesMax(_ kind: MediaKind) -> Int { bytesMax(kind) + formBytesMax }

    func sideMax(_ kind: MediaKind) -> Int { kind == .avatar ? avatarSideMax : photoSideMax }
}
