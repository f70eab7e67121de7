/// A fault of the file itself, as a text that the store keeps.
extension MediaError {
    private static let attemptsMax = 3

    /// Nil for what is not about the file.
    public var verdict: String? {
        switch self {
        case .unsupportedFormat: "format"
        case .damaged: "damaged"
        case .tooCostly: "costly"
        case .unfinished: "unfinished"
        case .tooLarge(let bytesMax): "bytes \(bytesMax)"
        case .tooManyPixels(let max): "pixels \(max)"
        case .tooLong(let secondsMax): "seconds \(secondsMax)"
        case .form, .noFile, .unexpectedPart, .chunkMissing, .storeFull, .storeFailed, .workerFailed, .unsealed: nil
        }
    }

    /// How many attempts have to fail before the verdict is the last word: one when whoever looks at the file again finds the same.
    public var attemptsOfVerdict: Int { if case .unfinished = self { Self.attemptsMax } else { 1 } }

    /// A verdict that this version does not know says at least that the file is of no use.
    public init(verdict: String) {
        let words = verdict.split(separator: " ", maxSplits: 1)
        let most = words.count == 2 ? Int(words[1]) : nil
        switch (words.first, most) {
        case ("format", _): self = .unsupportedFormat
        case ("costly", _): self = .tooCostly
        case ("unfinished", _): self = .unfinished("at every attempt")
        case ("bytes", let most?): self = .tooLarge(bytesMax: most)
        case ("pixels", let most?): self = .tooManyPixels(max: most)
        case ("seconds", let most?): self = .tooLong(secondsMax: most)
        default: self = .damaged
        }
    }
}
