/// The reason why a peer may not use the server now.
public enum Barrier: Sendable, Equatable {
    /// An operator has banned it until a time, in seconds since 1970.
    case banned(until: Int64)
    /// The server has not read yet whom operators have banned, so it lets nobody in.
    case bansUnread
}
