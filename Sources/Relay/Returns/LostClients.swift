import Rooms
import Sessions
import Wire

/// What a client that comes back goes on with after its connection was lost.
package struct LostClient: Sendable {
    /// A room that the client was put out of, and was told so or is to be. It may not have seen that.
    struct Ending: Sendable {
        static let countMax = 32

        let id: RoomID
        /// Of `room:closed`.
        let argument: [UInt8]
        /// The client has seen it when its trail has this membership come so far.
        let membership: UInt64
        let seq: UInt64
    }

    /// Nil when that was another server.
    let sid: SessionID?
    package let pid: SessionID
    let person: String
    /// When the session was opened in which it was lost.
    let opened: ContinuousClock.Instant
    let rooms: [ReturningRoom]
    let endings: [Ending]
    let trail: Trail
    /// When it is given up; 0 before that is settled.
    var ends: Int64 = 0
}

/// Lost clients whose `pid` names this shard, each for a while and a bounded number of them.
struct LostClients {
    /// Past it the one that was lost first is given up.
    static let clientsMax = 10_000

    private var clients = AgedTable<SessionID, LostClient>()

    var count: Int { clients.count }
    /// When to look again for one to be given up.
    var nextEnds: Int64? { mutating get { clients.oldest?.ends } }

    /// Answers the client that is given up for this one, if there are too many.
    @discardableResult
    mutating func keep(_ client: LostClient) -> LostClient? {
        clients.put(client, for: client.pid)
        return clients.count > Self.clientsMax ? clients.removeOldest() : nil
    }

    /// Each is given once, only to the person that it was, and to no session that is older: that client has gone on
    /// meanwhile, with another connection, and seen more than it says.
    mutating func take(_ claim: RecoveryClaim, at now: Int64) -> LostClient? {
        guard let client = clients[claim.pid], client.person.isExactly(claim.person), client.opened < claim.opened,
            client.ends > now
        else { return nil }
        return clients.remove(claim.pid)
    }

    func has(_ pid: SessionID) -> Bool { clients[pid] != nil }

    /// Takes out one client whose time is over; called until it answers nil.
    mutating func takeExpired(at now: Int64) -> LostClient? {
        guard let ends = nextEnds, ends <= now else { return nil }
        return clients.removeOldest()
    }
}
