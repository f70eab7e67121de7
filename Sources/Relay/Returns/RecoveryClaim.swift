import Rooms
import Sessions
import Transport
import Wire

/// A client's request to continue as the client of a `pid`. It travels between the shards that are involved.
package struct RecoveryClaim: Sendable {
    let pid: SessionID
    let person: String
    /// When its session was opened.
    let opened: ContinuousClock.Instant
    let offset: LogOffset?
    /// The node and the shard that get the answer.
    var node = 0
    let shard: Int
    let number: UInt64
}

/// The members of a CONNECT with which a client says that it comes back.
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
