import Wire

/// Polls that may come after the close of their session.
///
/// A client that closes sends the packet "close" in a POST while its poll waits, or is on the way over another
/// connection. The POST can overtake the poll, most of all when both have to move to the shard of the session. Such a
/// poll gets the answer of one that waits when the close comes.
struct OvertakenPolls {
    private struct Expected {
        let session: SessionID
        let version: EngineVersion
        /// On the shard's clock.
        let until: Int64
    }

    static let countMax = 1_024

    /// The oldest first.
    private var expected: [Expected] = []

    /// Expects one poll of a session that its client has closed. With too many of them the oldest is given up.
    mutating func expect(_ session: SessionID, _ version: EngineVersion, now: Int64, milliseconds: Int) {
        let lapsed = expected.firstIndex { $0.until > now } ?? expected.count
        expected.removeFirst(max(lapsed, expected.count - Self.countMax + 1))
        expected.append(Expected(session: session, version: version, until: now + Int64(milliseconds)))
    }

    /// The version of the session, if a poll of it is expected: from then on none is.
    mutating func take(_ session: SessionID, now: Int64) -> EngineVersion? {
        guard let index = expected.firstIndex(where: { $0.session == session }) else { return nil }
        let found = expected.remove(at: index)
        return found.until > now ? found.version : nil
    }
}
