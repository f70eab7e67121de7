import Rooms
import Sessions
import Wire

/// What a client that comes back goes on with after its connection was lost.
struct LostClient: Sendable {
    struct Room: Sendable {
        let id: RoomID
        let incarnation: UInt64
        /// 0 for a room that had not answered yet: no trail knows it.
        let membership: UInt64
    }

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
    let pid: SessionID
    let person: String
    /// When the session was opened in which it was lost.
    let opened: ContinuousClock.Instant
    let rooms: [Room]
    let endings: [Ending]
    let trail: Trail
    /// When it is given up; 0 before that is settled.
    var ends: Int64 = 0
}

/// Lost clients whose `pid` names this shard, each for a while and a bounded number of them.
struct LostClients {
    /// Past it the one that was lost first is given up.
    static let clientsMax = 10_000

    private var clients: [SessionID: LostClient] = [:]
    /// The first to be given up stands at `first`. Some have come back since.
    private var order: [(pid: SessionID, ends: Int64)] = []
    private var first = 0

    var count: Int { clients.count }
    /// When to look again for one to be given up.
    var nextEnds: Int64? { first < order.count ? order[first].ends : nil }

    mutating func keep(_ client: LostClient) {
        clients[client.pid] = client
        order.append((client.pid, client.ends))
        while clients.count > Self.clientsMax { forgetFirst() }
        if order.count > 4 * Self.clientsMax { compact() }
    }

    /// Each is given once, only to the person that it was, and to no session that is older: that client has gone on
    /// meanwhile, with another connection, and seen more than it says.
    mutating func take(_ claim: RecoveryClaim, at now: Int64) -> LostClient? {
        guard let client = clients[claim.pid], client.person.isExactly(claim.person), client.opened < claim.opened,
            client.ends > now
        else { return nil }
        clients[claim.pid] = nil
        return client
    }

    func has(_ pid: SessionID) -> Bool { clients[pid] != nil }

    mutating func expire(at now: Int64) {
        while let ends = nextEnds, ends <= now { forgetFirst() }
        if first > order.count / 2 { compact() }
    }

    private mutating func forgetFirst() {
        let (pid, ends) = order[first]
        first += 1
        // It may have come back and been lost again.
        if clients[pid]?.ends == ends { clients[pid] = nil }
    }

    private mutating func compact() {
        order.removeFirst(first)
        first = 0
        order.removeAll { clients[$0.pid]?.ends != $0.ends }
    }
}
