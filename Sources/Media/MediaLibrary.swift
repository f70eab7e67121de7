import Glibc

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
    ///
    /// - Parameter bytesMax: instead of the bound of the kind.
    public func admit(
        _ file: StagedFile, _ kind: MediaKind, bytesMax: Int? = nil
    ) throws(MediaError) -> StoredMedia {
        let bytesMax = bytesMax ?? limits.bytesMax(kind)
        guard file.byteCount <= bytesMax else { throw .tooLarge(bytesMax: bytesMax) }
        let format = try format(of: file, kind)
        if format.isVideo { return try admitVideo(file, format) }
        return format.isImage ? try admitImage(file, format, kind) : try admitSound(file, format)
    }

    /// The format that a file has by its beginning. A part with the beginning is enough. Throws `unsupportedFormat` when the
    /// kind does not accept it.
    @discardableResult
    public func format(of file: StagedFile, _ kind: MediaKind) throws(MediaError) -> MediaFormat {
        let beginning = try file.beginning(MediaFormat.sniffedBytes)
        guard let format = MediaFormat(beginning: beginning.span, of: kind), kind.accepts(format) else {
            throw .unsupportedFormat
        }
        return format
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

    private func admitVideo(_ file: StagedFile, _ format: MediaFormat) throws(MediaError) -> StoredMedia {
        // An index may become a little larger when it is written anew.
        let output = try store.stage(bytes: file.byteCount + file.byteCount / 64)
        let poster = try store.stage(bytes: limits.posterSideMax * limits.posterSideMax)
        let video = try worker.video(format, from: file.descriptor, to: [output.descriptor, poster.descriptor])
        let (key, posterKey) = (MediaKey(format), MediaKey(.jpeg))
        try store.publish(poster, copies: [], as: posterKey)
        do throws(MediaError) {
            try store.publish(output, copies: [], as: key)
        } catch {
            try? store.delete(posterKey)
            throw error
        }
        return StoredMedia(
            key: key, byteCount: output.size, width: video.width, height: video.height, duration: video.duration,
            poster: StoredMedia.Poster(key: posterKey, byteCount: poster.size))
    }

    /// Puts the chunks of an upload together, in their order.
    ///
    /// - Parameter chunkBytes: the size of each but the last. A chunk of another size was lost.
    public func assemble(_ upload: String, byteCount: Int, chunkBytes: Int) throws(MediaError) -> StagedFile {
        let whole = try store.stage(bytes: byteCount)
        var number = 1
        while whole.byteCount < byteCount {
            guard let chunk = try store.openChunk(number, of: upload) else { throw .chunkMissing(number) }
            defer { close(chunk) }
            let expected = min(whole.byteCount + chunkBytes, byteCount)
            try whole.append(contentOf: chunk)
            guard whole.byteCount == expected else { throw .chunkMissing(number) }
            number += 1
        }
        return whole
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
    /// Seconds, of sound and videos.
    public let duration: Double?
    /// A picture of a video, a file of its own.
    public var poster: Poster?

    public struct Poster: Equatable, Sendable {
        public let key: MediaKey
        public let byteCount: Int
    }
}
