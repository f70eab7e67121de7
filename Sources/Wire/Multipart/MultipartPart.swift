/// What a part of a form says about itself. All of it is the client's word.
public struct MultipartPart: Equatable, Sendable {
    /// The field that it is for.
    public let name: String
    /// The client's name for the file: a text for users, never a path, and no proof of the content.
    public let filename: String?
    /// As it was sent.
    public let contentType: String?
}

/// Gathers a part's headers.
struct MultipartPartDraft {
    private var disposition: HeaderParameters?
    private var contentType: String?
    private(set) var headerCount = 0

    mutating func take(_ bytes: Span<UInt8>, name: Range<Int>, value: Range<Int>) throws(MultipartError) {
        headerCount += 1
        if ASCII.equalsIgnoringCase(bytes, name, "Content-Disposition") {
            guard disposition == nil else { throw .malformedHeader("The disposition is there twice.") }
            guard let text = Self.text(bytes, value), let parsed = HeaderParameters(text) else {
                throw .malformedHeader("The disposition cannot be read.")
            }
            disposition = parsed
        } else if ASCII.equalsIgnoringCase(bytes, name, "Content-Type") {
            guard contentType == nil else { throw .malformedHeader("The content type is there twice.") }
            guard let text = Self.text(bytes, value) else {
                throw .malformedHeader("The content type is not text.")
            }
            contentType = text
        } else if ASCII.equalsIgnoringCase(bytes, name, "Content-Transfer-Encoding") {
            guard Self.isIdentity(bytes, value) else { throw .unsupportedEncoding }
        }
    }

    func part() throws(MultipartError) -> MultipartPart {
        guard let disposition, disposition.value == "form-data", let name = disposition["name"] else {
            throw .missingName
        }
        return MultipartPart(name: name, filename: disposition["filename"], contentType: contentType)
    }

    private static func text(_ bytes: Span<UInt8>, _ range: Range<Int>) -> String? {
        bytes.extracting(range).withUnsafeBufferPointer { String(validating: $0, as: UTF8.self) }
    }

    private static func isIdentity(_ bytes: Span<UInt8>, _ value: Range<Int>) -> Bool {
        ASCII.equalsIgnoringCase(bytes, value, "binary") || ASCII.equalsIgnoringCase(bytes, value, "8bit")
            || ASCII.equalsIgnoringCase(bytes, value, "7bit")
    }
}
