/// The application of one Engine.IO session. It is called on the session's shard.
public protocol EngineHandler: AnyObject {
    /// The handshake is done; packets may be sent.
    func opened(_ session: EngineSession)
    /// A message. The bytes are valid during the call; a text is valid UTF-8.
    func received(_ message: Span<UInt8>, isBinary: Bool, on session: EngineSession)
    /// Whether the handler can accept a message now. If not, an older one may still be on its way: see `PollingTail`.
    func canTake(_ message: Span<UInt8>) -> Bool
    /// Everything that waited for the client is sent, and the client can take more. Over WebSocket it is called at the
    /// end of a flush, over polling when a poll has arrived.
    func drained(_ session: EngineSession)
    /// The server is shutting down, and closes the session in so many milliseconds.
    func draining(_ session: EngineSession, closesInMilliseconds: Int)
    /// The session has ended. No other call follows.
    func closed(_ session: EngineSession, _ reason: DisconnectReason)
}

extension EngineHandler {
    public func canTake(_ message: Span<UInt8>) -> Bool { true }
    public func drained(_ session: EngineSession) {}
    public func draining(_ session: EngineSession, closesInMilliseconds: Int) {}
}
