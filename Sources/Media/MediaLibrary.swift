/// A store with the work that is done on files before they are in it.
public struct MediaLibrary: Sendable {
    public let store: any MediaStore
    public let limits: MediaLimits
    private let worker: MediaWorker

    public init(store: any MediaStore, worker: MediaWorker, limits: MediaLimits) {
        self.store = store
        self.worker = worker
        self.limits = limits
    }

    /// Takes the body of one upload.
    ///
    /// - Parameter told: the length of the body, if the client has told it.
    public func upload(_ kind: MediaKind, boundary: MediaUpload.Boundary, told: Int? = nil) -> MediaUpload {
        MediaUpload(kind, boundary: boundary, told: told, store: store, limits: limits)
    }

    /// Judges a file by its content, cleans it and keeps it. Takes up to `workerMillisecondsMax`, and a process: to be
    /// called on one of a few threads.
    public func admit(_ file: StagedFile, _ kind: MediaKind) throws(MediaError) -> StoredMedia {
        guard file.byteCount <= limits.bytesMax(kind) else { throw .tooLarge(bytesMax: limits.bytesMax(kind)) }
        let beginning = try file.beginning(MediaFormat.sniffedBytes)
        guard let format = MediaFormat(beginning: beginning.span), kind.accepts(format) else {
            throw .unsupportedFormat
        }
        return format.isImage ? try admitImage(file, format, kind) : try admitSound(file, format)
    }

    private func admitImage(
        _ file: StagedFile, _ format: MediaFormat, _ kind: MediaKind
    ) throws(MediaError) -> StoredMedia {
        let sides = [limits.sideMax(kind)] + limits.thumbnailSides.filter { $0 < limits.sideMax(kind) }
        var outputs: [(side: Int, file: StagedFile)] = []
        for side in sides {
            // The image itself is the first; the copies are small beside it.
            let claimed = outputs.isEmpty ? limits.bytesMax(kind) : 0
            outputs.append((side, try store.stage(bytes: claimed)))
        }
        let image = try worker.image(
            format, from: file.descriptor, to: outputs.map { ($0.side, $0.file.descriptor) })
        guard image.isWritten.first == true else { throw .workerFailed("it wrote nothing") }
        let copies = zip(outputs, image.isWritten).dropFirst().filter(\.1).map(\.0)
        let key = MediaKey(format.stored)
        try store.publish(outputs[0].file, copies: copies, as: key)
        return StoredMedia(
            key: key, byteCount: outputs[0].file.size, width: image.width, height: image.height, duration: nil)
    }

    private func admitSound(_ file: StagedFile, _ format: MediaFormat) throws(MediaError) -> StoredMedia {
        let output = try store.stage(bytes: file.byteCount)
        let sound = try worker.sound(format, from: file.descriptor, to: output.descriptor)
        let key = MediaKey(sound.format)
        try store.publish(output, copies: [], as: key)
        return StoredMedia(
            key: key, byteCount: output.size, width: nil, height: nil, duration: sound.duration)
    }

    /// Opens a file for reading: the smallest copy that has at least this side, or the file itself. The caller closes
    /// the descriptor. Nil when there is no such file.
    public func open(_ key: MediaKey, size: Int? = nil) throws(MediaError) -> Int32? {
        // An image that is no larger than this copy would be has neither it nor a larger copy.
        if let size, key.format.isImage, let side = limits.thumbnailSides.first(where: { $0 >= size }),
            let descriptor = try store.open(key, side: side)
        {
            return descriptor
        }
        return try store.open(key, side: nil)
    }
}

/// What is known of a file that was kept.
public struct StoredMedia: Equatable, Sendable {
    public let key: MediaKey
    public let byteCount: Int
    /// Pixels, of an image.
    public let width: Int?
    public let height: Int?
    /// Seconds, of sound.
    public let duration: Double?
}
