/// The bounds of a request before any other check. Past each bound the parser throws, with the status of the answer.
/// The connection is closed after that answer.
public struct HTTPLimits: Sendable {
    /// Request line and headers with all their line ends. Browsers send under 2 KiB; a long token or many cookies
    /// fit in the default. Past it: 431.
    public var headBytesMax: Int
    /// Header lines of one request. Past it: 431.
    public var headerCountMax: Int
    /// The request target. Past it: 414.
    public var targetBytesMax: Int
    /// Content of one request, when its owner has not set `HTTPRequestParser.bodyBytesMax`. Past it: 413.
    public var bodyBytesMax: Int
    /// Chunk extensions of a whole body. They are ignored, so clients need no more. Past it: 400.
    public var chunkExtensionBytesMax: Int
    /// Trailer lines of a chunked body. They are checked and dropped. Past it: 431.
    public var trailerBytesMax: Int

    public init(
        headBytesMax: Int = 16 * 1024,
        headerCountMax: Int = 100,
        targetBytesMax: Int = 8 * 1024,
        bodyBytesMax: Int = 1_000_000,
        chunkExtensionBytesMax: Int = 1024,
        trailerBytesMax: Int = 4 * 1024
    ) {
        precondition(targetBytesMax > 0 && targetBytesMax < headBytesMax, "A target must fit into its head.")
        precondition(headBytesMax <= Int(Int32.max), "Positions in a head are kept in 32 bits.")
        precondition(headerCountMax > 0 && bodyBytesMax >= 0 && chunkExtensionBytesMax >= 0 && trailerBytesMax >= 2)
        self.headBytesMax = headBytesMax
        self.headerCountMax = headerCountMax
        self.targetBytesMax = targetBytesMax
        self.bodyBytesMax = bodyBytesMax
        self.chunkExtensionBytesMax = chunkExtensionBytesMax
        self.trailerBytesMax = trailerBytesMax
    }
}
