import Rooms
import Sessions
import Wire

/// The state with which a client continues after its connection was lost.
package struct LostClient: Sendable {
    /// A room that the client was removed from, and its `room:closed`. The client may not have seen that event.
    struct Ending: Sendable {
        static let countMax = 32

        let id: RoomID
        /// The argument of `room:closed`.
        let argument: [UInt8]
        /// The client has seen the event when its trail has come so far in this membership.
        let membership: UInt64
        let seq: UInt64
    }

    /// Nil when the connection was one of an earlier server.
    let sid: SessionID?
    package let pid: SessionID
    let person: String
    /// When the session of the lost connection was opened.
    let opened: ContinuousClock.Instant
    let rooms: [ReturningRoom]
    let endings: [Ending]
    let trail: Trail
    /// When the state is removed; 0 before that is set.
    var ends: Int64 = 0
}

/// Lost clients whose `pid` names this shard. Each is kept for a while, and their number is bounded.
struct LostClients {
    /// Past it: the client that was lost first is removed.
    static let clientsMax = 10_000

    private var clients = AgedTable<SessionID, LostClient>()

    var count: Int { clients.count }
    /// When the next client may have to be removed.
    var nextEnds: Int64? { mutating get { clients.oldest?.ends } }

    /// Returns the client that is removed for this one, if there are too many.
    @discardableResult
    mutating func keep(_ client: LostClient) -> LostClient? {
        clients.put(client, for: client.pid)
        return clients.count > Self.clientsMax ? clients.removeOldest() : nil
    }

    /// Each client is given once, only to the same user, and not to an older session: that client has continued with
    /// another connection meanwhile, and has seen more than it says.
    mutating func take(_ claim: RecoveryClaim, at now: Int64) -> LostClient? {
        guard let client = clients[claim.pid], client.person.isExactly(claim.person), client.opened < claim.opened,
            client.ends > now
        else { return nil }
        return clients.remove(claim.pid)
    }

    func has(_ pid: SessionID) -> Bool { clients[pid] != nil }

    /// Whether a lost client continues in a room when it comes back.
    func isIn(_ room: RoomID, _ pid: SessionID) -> Bool {
        clients[pid]?.rooms.contains { $0.id == room } ?? false
    }

    /// Removes one client whose time is over. Call it until it returns nil.
    mutating func takeExpired(at now: Int64) -> LostClient? {
        guard let ends = nextEnds, ends <= now else { return nil }
        return clients.removeOldest()
    }
}
