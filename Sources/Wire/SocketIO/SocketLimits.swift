/// What one Socket.IO packet may claim. The size of its text is bounded below, by the transport's `maxPayload`.
public struct SocketLimits: Sendable {
    /// Attachments of one packet. The reference server has the same default.
    public var attachmentsMax = 10
    /// All attachments of one packet together, held until the last has come.
    public var attachmentsBytesMax = 1_000_000
    /// A namespace's name, which is kept as long as its connection.
    public var namespaceBytesMax = 256
    /// The query that version 4 puts behind the name; a token fits.
    public var queryBytesMax = 4_096
    /// Arrays and objects inside each other in a packet with attachments; the JSON scanner goes as deep.
    public var payloadDepthMax = 64

    public init() {}

    /// The largest whole number that every client's numbers hold exactly: 2^53 - 1.
    public static let ackIDMax: UInt64 = 9_007_199_254_740_991
}
