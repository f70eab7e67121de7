import Wire

/// Takes the body of one upload, piece by piece, and writes the file in it to the store's staging. One thread at a
/// time works with it; it may wait for the disk.
public final class MediaUpload: @unchecked Sendable {
    public typealias Boundary = MultipartBoundary

    public let kind: MediaKind
    private let store: any MediaStore
    private let bytesMax: Int
    private var parser: MultipartParser
    private let delimiter: [UInt8]
    private var file: StagedFile?
    private var isInFile = false
    private var isFinished = false

    init(_ kind: MediaKind, boundary: MultipartBoundary, store: any MediaStore, limits: MediaLimits) {
        self.kind = kind
        self.store = store
        bytesMax = limits.bytesMax(kind)
        parser = MultipartParser(boundary: boundary, limits: MultipartLimits(partsMax: 4))
        delimiter = parser.delimiter
    }

    public func take(_ bytes: [UInt8]) throws(MediaError) {
        let input = bytes.span
        var offset = 0
        while true {
            switch try next(input, &offset) {
            case .needMore: return
            case .part(let part): try begin(part)
            case .content(let range): try write(input.extracting(range))
            case .heldBack(let count):
                let delimiter = delimiter
                try write(delimiter.span.extracting(0..<count))
            case .partEnd: isInFile = false
            }
        }
    }

    private func next(_ input: Span<UInt8>, _ offset: inout Int) throws(MediaError) -> MultipartParser.Event {
        do throws(MultipartError) {
            return try parser.next(input, offset: &offset)
        } catch {
            throw .form(error)
        }
    }

    private func begin(_ part: MultipartPart) throws(MediaError) {
        guard part.name == kind.fieldName else {
            // Fields that some clients send along are harmless; a file that nobody asked for is a mistake.
            if part.filename != nil { throw .unexpectedPart }
            return
        }
        guard file == nil else { throw .unexpectedPart }
        file = try store.stage(bytes: bytesMax)
        isInFile = true
    }

    private func write(_ bytes: Span<UInt8>) throws(MediaError) {
        guard isInFile, let file else { return }
        guard file.byteCount + bytes.count <= bytesMax else { throw .tooLarge(bytesMax: bytesMax) }
        try file.write(bytes)
    }

    /// To be called when the body is whole.
    public func finish() throws(MediaError) {
        do throws(MultipartError) { try parser.finish() } catch { throw .form(error) }
        guard let file, file.byteCount > 0 else { throw .noFile(field: kind.fieldName) }
        isFinished = true
    }

    /// The file, once `finish` has returned. It is removed with its last owner unless it is admitted.
    public var finishedFile: StagedFile? { isFinished ? file : nil }
}
