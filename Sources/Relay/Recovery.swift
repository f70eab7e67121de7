import Rooms
import Sessions
import Transport
import Wire

/// What one shard knows of clients that can come back.
final class Recovery {
    /// A client that says that it was here before, while that is looked into.
    struct Waiting {
        let request: ConnectRequest
        let admission: Admission
        let offset: LogOffset?
    }

    /// A claim that is being looked into, and those of the same `pid` that came since: a client whose connection ends
    /// before it is let in tries again at once.
    struct Claims {
        /// Past it a claim is given up: its answer was lost on the way.
        static let millisecondsMax: Int64 = 10_000
        static let waitingMax = 8

        let since: Int64
        var waiting: [RecoveryClaim] = []
    }

    /// Lost clients whose `pid` names this shard.
    var lost = LostClients()
    let timer = LoopTimer()
    /// The connections whose `pid` names this shard, on whichever shard they are.
    var connections: [SessionID: ConnectionID] = [:]
    /// Claims under way, by the `pid`.
    var claims: [SessionID: Claims] = [:]
    private var waiting: [UInt64: Waiting] = [:]
    private var nextNumber: UInt64 = 0

    /// Those that waited for claims which came to no end wait for this one.
    func beginClaims(on pid: SessionID, at now: Int64) {
        claims[pid] = Claims(since: now, waiting: claims[pid]?.waiting ?? [])
    }

    /// Each is answered, also when its client has gone meanwhile.
    func wait(_ request: ConnectRequest, _ admission: Admission, _ offset: LogOffset?) -> UInt64 {
        nextNumber += 1
        waiting[nextNumber] = Waiting(request: request, admission: admission, offset: offset)
        return nextNumber
    }

    func takeWaiting(_ number: UInt64) -> Waiting? {
        waiting.removeValue(forKey: number)
    }
}

/// Says who wants to go on as whom, to the shards that have to do with it.
struct RecoveryClaim: Sendable {
    let pid: SessionID
    let person: String
    /// When its session was opened.
    let opened: ContinuousClock.Instant
    let offset: LogOffset?
    /// Where the answer goes.
    let shard: Int
    let number: UInt64
}

/// The members of a CONNECT by which a client says that it was here before.
struct RecoveryPayload {
    let pid: SessionID
    let offset: LogOffset?

    init?(_ payload: ConnectPayload, shardCount: Int) {
        guard let pid = payload.pid, pid.shard < shardCount else { return nil }
        self.pid = pid
        offset = payload.offset
    }
}

extension RecoveryOffsets {
    func areFor(_ wishes: ConnectWishes) -> Bool {
        if let asked = wishes.asksForOffsets { return asked }
        switch self {
        case .pages: return wishes.isPage
        case .all: return true
        case .asked: return false
        }
    }
}
