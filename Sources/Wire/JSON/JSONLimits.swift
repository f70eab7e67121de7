/// What a scan of JSON text checks beyond the grammar.
public struct JSONLimits: Sendable {
    /// Whether the encoding of the bytes was checked before.
    public enum Encoding: Sendable {
        /// It was not: text that is not strictly valid UTF-8 is refused.
        case unchecked
        /// The bytes are known to be valid UTF-8, e.g. from a WebSocket text frame, and are not checked again.
        case validUTF8
    }

    /// How many arrays and objects may be open at once. The scanner keeps one bit for each in a word, so at most 64.
    public let depthMax: Int
    public let encoding: Encoding

    public static let standard = JSONLimits()

    public init(depthMax: Int = 64, encoding: Encoding = .unchecked) {
        precondition((1...64).contains(depthMax), "depthMax must be between 1 and 64")
        self.depthMax = depthMax
        self.encoding = encoding
    }
}
