/// What is wrong with a file itself, as a text that can be kept: whoever looks at the file again finds the same.
extension MediaError {
    /// Nil for what may pass, or is not the fault of the file.
    public var verdict: String? {
        switch self {
        case .unsupportedFormat: "format"
        case .damaged: "damaged"
        // What takes too long beside others takes as long as that at every attempt, so it is not tried again.
        case .tooCostly: "costly"
        case .tooLarge(let bytesMax): "bytes \(bytesMax)"
        case .tooManyPixels(let max): "pixels \(max)"
        case .tooLong(let secondsMax): "seconds \(secondsMax)"
        case .form, .noFile, .unexpectedPart, .chunkMissing, .storeFull, .storeFailed, .workerFailed, .unsealed: nil
        }
    }

    /// A verdict that this version does not know says at least that the file is of no use.
    public init(verdict: String) {
        let words = verdict.split(separator: " ", maxSplits: 1)
        let most = words.count == 2 ? Int(words[1]) : nil
        switch (words.first, most) {
        case ("format", _): self = .unsupportedFormat
        case ("costly", _): self = .tooCostly
        case ("bytes", let most?): self = .tooLarge(bytesMax: most)
        case ("pixels", let most?): self = .tooManyPixels(max: most)
        case ("seconds", let most?): self = .tooLong(secondsMax: most)
        default: self = .damaged
        }
    }
}
