/// By what a client knows its socket.
public struct SocketIdentity: Sendable, Equatable {
    /// Told to whoever the application tells it.
    public let sid: String
    /// Known to the client alone, which may show it to claim its `sid` when it comes back. Clients from version 4.6 on
    /// call their state recovered when it is the same as before.
    public let pid: String

    public init(sid: String, pid: String) {
        self.sid = sid
        self.pid = pid
    }
}
