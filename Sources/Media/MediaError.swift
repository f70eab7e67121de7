import Wire

/// Why an upload was not kept.
public enum MediaError: Error, Equatable, Sendable {
    /// What was sent is no form, or a broken one.
    case form(MultipartError)
    /// The form has no file in the field that it belongs in, or nothing in it. `other` is a field that the form has instead,
    /// as far as it can be shown.
    case noFile(field: String, other: String?)
    /// The form has more than one file.
    case unexpectedPart
    case tooLarge(bytesMax: Int)
    /// By its content it is none of the accepted formats.
    case unsupportedFormat
    /// It seems to be of an accepted format but cannot be read as such.
    case damaged
    case tooManyPixels(max: Int)
    /// A chunk of an upload is not there, though it had arrived.
    case chunkMissing(Int)
    /// Of a video.
    case tooLong(secondsMax: Int)
    /// It is so made that it takes more processor time or memory than a file may.
    case tooCostly
    /// The process that worked on it ended without a word, by the clock, by the system or by a fault of its own; the sentence
    /// says how. The file may be the reason, or a machine that has too much to do.
    case unfinished(String)
    /// The disk has too little room left.
    case storeFull
    /// The disk refused; the sentence says what.
    case storeFailed(String)
    /// The process that works on files cannot be run; the sentence says why.
    case workerFailed(String)
    /// The process that works on files cannot be sealed off here, and does nothing without that.
    case unsealed

    /// The status that answers it.
    public var httpStatus: Int {
        switch self {
        case .form, .noFile, .unexpectedPart: 400
        case .tooLarge: 413
        case .chunkMissing: 409
        case .unsupportedFormat: 415
        case .damaged, .tooManyPixels, .tooLong, .tooCostly, .unfinished: 422
        case .storeFull: 507
        case .storeFailed, .workerFailed: 500
        case .unsealed: 503
        }
    }

    /// A sentence for the client. What only the operator may know is not in it.
    public var reason: String {
        switch self {
        case .form(let error): error.reason
        case .noFile(let field, let other?):
            "The form has a field \"\(other)\"; the file belongs in the field \"\(field)\"."
        case .noFile(let field, nil): "The form has no file in its field \"\(field)\"."
        case .unexpectedPart: "The form has more than one file."
        case .tooLarge(let bytesMax): "The file has more than \(bytesMax) bytes."
        case .unsupportedFormat: "The file has a format that this server does not accept."
        case .damaged: "The file is damaged."
        case .tooManyPixels(let max): "The picture has more than \(max) pixels."
        case .chunkMissing(let number): "Chunk \(number) was lost; send it again."
        case .tooLong(let secondsMax): "The video is longer than \(secondsMax) seconds."
        case .tooCostly: "The file takes too much time or memory to process."
        case .unfinished: "The file could not be processed to its end."
        case .storeFull: "There is no space for the file."
        case .storeFailed, .workerFailed: "The file could not be stored."
        case .unsealed: "This server cannot process files safely, so it accepts no uploads."
        }
    }
}
