/// What one peer may make its decoder hold.
public struct WebSocketLimits: Equatable, Sendable {
    /// Payload of one frame, as sent. Past it: close 1009, as soon as the header is read.
    public var frameBytesMax: Int
    /// Payload of one message over all its frames, as sent and also after inflating. Past it: close 1009, before the
    /// bytes in excess are stored.
    public var messageBytesMax: Int
    /// Frames of one message. Empty fragments cost no bytes of the limits above, only time. Past it: close 1008.
    public var fragmentsMax: Int

    public init(frameBytesMax: Int = 1 << 20, messageBytesMax: Int = 1 << 20, fragmentsMax: Int = 4096) {
        precondition(frameBytesMax > 0 && messageBytesMax > 0 && fragmentsMax > 0, "limits are positive")
        self.frameBytesMax = frameBytesMax
        self.messageBytesMax = messageBytesMax
        self.fragmentsMax = fragmentsMax
    }
}
