import Wire

/// Takes the body of one upload, piece by piece, and writes the file in it to the store's staging. One thread at a
/// time works with it; it may wait for the disk.
public final class MediaUpload: @unchecked Sendable {
    public typealias Boundary = MultipartBoundary

    public let kind: MediaKind
    private let store: any MediaStore
    private let bytesMax: Int
    /// What the file may take of the disk.
    private let claimedBytes: Int
    private var parser: MultipartParser
    private let delimiter: [UInt8]
    private var file: StagedFile?
    /// As the client has named the file: its last part, and no more than an error may show.
    public private(set) var filename: String?
    /// A field beside the file's, which may be where the file was meant to be.
    private var otherField: String?
    private var isInFile = false
    private var isFinished = false

    init(_ kind: MediaKind, boundary: MultipartBoundary, told: Int?, store: any MediaStore, limits: MediaLimits) {
        self.kind = kind
        self.store = store
        bytesMax = limits.bytesMax(kind)
        claimedBytes = min(bytesMax, told ?? bytesMax)
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
        let isWanted = part.name == kind.fieldName
        // Extra fields of some clients are harmless. An unexpected file is a mistake.
        guard isWanted || part.filename != nil else {
            if otherField == nil { otherField = Self.shown(part.name) }
            return
        }
        guard file == nil else { throw .unexpectedPart }
        guard isWanted else { throw .noFile(field: kind.fieldName, other: Self.shown(part.name)) }
        file = try store.stage(bytes: claimedBytes)
        filename = part.filename.map { Self.shown(String($0.split(separator: "/").last ?? "")) }
        isInFile = true
    }

    /// A field's name for an error message: one short line.
    private static func shown(_ name: String) -> String {
        String(String.UnicodeScalarView(name.unicodeScalars.filter { !hides($0) }.prefix(64)))
    }

    private static func hides(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.properties.generalCategory {
        case .control, .format, .lineSeparator, .paragraphSeparator: true
        default: false
        }
    }

    private func write(_ bytes: Span<UInt8>) throws(MediaError) {
        guard isInFile, let file else { return }
        guard file.byteCount + bytes.count <= bytesMax else { throw .tooLarge(bytesMax: bytesMax) }
        try file.write(bytes)
    }

    /// To be called when the body is whole.
    public func finish() throws(MediaError) {
        do throws(MultipartError) { try parser.finish() } catch { throw .form(error) }
        guard let file, file.byteCount > 0 else {
            throw .noFile(field: kind.fieldName, other: file == nil ? otherField : nil)
        }
        isFinished = true
    }

    /// The file, once `finish` has returned. It is removed with its last owner unless it is admitted.
    public var finishedFile: StagedFile? { isFinished ? file : nil }
}
