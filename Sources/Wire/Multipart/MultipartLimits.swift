/// The bounds of a form before any check of its content. HTTP bounds its total size.
public struct MultipartLimits: Sendable {
    /// Parts of one form. Past it: `tooManyParts`.
    public var partsMax: Int
    /// All header lines of one part with their line ends. Past it: `headTooLarge`.
    public var headBytesMax: Int
    /// Header lines of one part. Past it: `headTooLarge`.
    public var headerCountMax: Int
    /// Bytes before the first boundary. Clients send none there. Past it: `preambleTooLarge`.
    public var preambleBytesMax: Int

    public init(
        partsMax: Int = 16, headBytesMax: Int = 4096, headerCountMax: Int = 16, preambleBytesMax: Int = 256
    ) {
        precondition(partsMax > 0 && headBytesMax > 2 && headerCountMax > 0 && preambleBytesMax >= 0)
        self.partsMax = partsMax
        self.headBytesMax = headBytesMax
        self.headerCountMax = headerCountMax
        self.preambleBytesMax = preambleBytesMax
    }
}
