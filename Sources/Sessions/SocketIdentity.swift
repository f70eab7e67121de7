/// By what a client knows its socket.
public struct SocketIdentity: Sendable, Equatable {
    /// Told to whoever the application tells it.
    public let sid: SessionID
    /// Known to the client alone, which may show it to claim its `sid` when it comes back. Clients from version 4.6 on
    /// call their state recovered when it is the same as before. Nil: nothing can be claimed.
    public let pid: SessionID?

    public init(sid: SessionID, pid: SessionID?) {
        self.sid = sid
        self.pid = pid
    }
}
