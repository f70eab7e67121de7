/// What is wrong with a multipart body. After the first error the parser throws the same one for ever.
public enum MultipartError: Error, Equatable, Sendable {
    /// More text than `preambleBytesMax` stands before the first part.
    case preambleTooLarge
    /// Behind a boundary stands neither the end of the line nor the end of the body.
    case malformedBoundary
    /// A header line of a part is not one; the sentence says why.
    case malformedHeader(String)
    /// The headers of a part are larger than `headBytesMax` or more than `headerCountMax`.
    case headTooLarge
    /// A part says nothing of the field that it is for: no `Content-Disposition: form-data` with a name.
    case missingName
    /// A part is encoded in a way that forms have no use for, such as base64.
    case unsupportedEncoding
    /// There are more parts than `partsMax`.
    case tooManyParts
    /// The body ended within a part, or without its last boundary.
    case truncated

    public var reason: String {
        switch self {
        case .preambleTooLarge: "The form begins with something that is no part."
        case .malformedBoundary: "A boundary of the form does not end its line."
        case .malformedHeader(let reason): "A part of the form has a malformed header. \(reason)"
        case .headTooLarge: "A part of the form has too large headers."
        case .missingName: "A part of the form names no field."
        case .unsupportedEncoding: "A part of the form has a transfer encoding; send its bytes as they are."
        case .tooManyParts: "The form has too many parts."
        case .truncated: "The form ends before its last boundary."
        }
    }
}
