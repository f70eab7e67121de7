/// What works with one Engine.IO session. Called on the session's shard.
public protocol EngineHandler: AnyObject {
    /// The handshake is done; packets may be sent.
    func opened(_ session: EngineSession)
    /// A message. The bytes are valid during the call; a text is valid UTF-8.
    func received(_ message: Span<UInt8>, isBinary: Bool, on session: EngineSession)
    /// Whether a message makes sense now. If it does not, an older one may still be on its way: see `PollingTail`.
    func canTake(_ message: Span<UInt8>) -> Bool
    /// Everything that waited for the client has gone out, and the client could take more: over WebSocket at the end of
    /// a flush, over polling when a poll has come.
    func drained(_ session: EngineSession)
    /// The server is shutting down, and will close the session in so many milliseconds.
    func draining(_ session: EngineSession, closesInMilliseconds: Int)
    /// The session has ended; nothing follows.
    func closed(_ session: EngineSession, _ reason: DisconnectReason)
}

extension EngineHandler {
    public func canTake(_ message: Span<UInt8>) -> Bool { true }
    public func drained(_ session: EngineSession) {}
    public func draining(_ session: EngineSession, closesInMilliseconds: Int) {}
}
