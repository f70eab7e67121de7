/// The ids that a client has for its socket.
public struct SocketIdentity: Sendable, Equatable {
    /// The public id, which the application may show to others.
    public let sid: SessionID
    /// A secret of the client, which it shows to claim its `sid` when it comes back. Clients from version 4.6 on call
    /// their state recovered when it is the same as before. Nil: the client cannot come back.
    public let pid: SessionID?

    public init(sid: SessionID, pid: SessionID?) {
        self.sid = sid
        self.pid = pid
    }
}
