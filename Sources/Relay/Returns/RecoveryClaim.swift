import Rooms
import Sessions
import Transport
import Wire

/// Says who wants to go on as whom, to the shards that have to do with it.
package struct RecoveryClaim: Sendable {
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
package struct RecoveryPayload {
    let pid: SessionID
    let offset: LogOffset?

    package init(pid: SessionID, offset: LogOffset?) {
        self.pid = pid
        self.offset = offset
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
