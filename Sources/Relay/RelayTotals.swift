import Rooms
import Sessions
import Transport

/// What the relay of one shard has done and has: plain numbers of its thread, copied for whoever asks.
package struct RelayTotals: Sendable {
    // MARK: Events

    private var events = InlineArray<9, Int>(repeating: 0)
    private var errors: [RoomError.Code: Int] = [:]
    /// By `limits`.
    private var excesses = InlineArray<9, Int>(repeating: 0)

    // MARK: Touches, on the home shards

    /// Positions that were taken in, and those of them that went out with a tick: the others were overwritten before.
    package internal(set) var touchesTaken = 0
    package internal(set) var touchesTicked = 0
    package internal(set) var ticks = 0
    package internal(set) var entriesLogged = 0

    // MARK: Delivery, on the members' shards

    /// Positions that were written to members.
    package internal(set) var touchesSent = 0
    /// How often a member was written a whole tick, as one of many who get the same bytes.
    package internal(set) var updates = 0
    /// How often a member that was behind was written what it lacked.
    package internal(set) var catchUps = 0
    /// Members that were so far behind that the log did not reach back to them.
    package internal(set) var lostMembers = 0

    // MARK: Coming back

    /// Connections that went on as what they were before, and claims to be that which came to nothing.
    package internal(set) var recoveries = 0
    package internal(set) var recoveriesRefused = 0
    /// Rooms in which such a connection got what it had missed, and those of which it was told the whole state.
    package internal(set) var roomsResumed = 0
    package internal(set) var roomsToldAnew = 0

    // MARK: What is there now

    package internal(set) var memberships = 0
    package internal(set) var participants = 0
    package internal(set) var elements = 0
    package internal(set) var logBytes = 0
    package internal(set) var backlogEntries = 0
    package internal(set) var backlogBytes = 0

    /// How long it took from an append to the store's answer.
    package internal(set) var appends = DurationHistogram()
    package internal(set) var appendsFailed = 0

    /// Of each name that the relay knows, and of all others together under `other`.
    package var eventsByName: [(name: String, count: Int)] {
        ClientEvent.allCases.map { ($0.rawValue, events[$0.index]) } + [("other", events[ClientEvent.allCases.count])]
    }

    package func refused(_ code: RoomError.Code) -> Int { errors[code] ?? 0 }

    /// What was refused for coming too often, by the name of the setting that it was beyond.
    package var excessBySetting: [(setting: String, count: Int)] {
        Self.limits.indices.map { (Self.limits[$0], excesses[$0]) }
    }

    private static let limits = [
        "touches-per-second-max", "events-per-second-max", "account-touches-per-second-max",
        "account-events-per-second-max", "address-touches-per-second-max", "address-events-per-second-max",
        "address-connects-per-second-max", "account-join-bytes-per-second-max", "address-join-bytes-per-second-max",
    ]

    @inline(__always)
    mutating func count(_ event: ClientEvent?) { events[event?.index ?? ClientEvent.allCases.count] &+= 1 }
    mutating func countRefusal(_ code: RoomError.Code) { errors[code, default: 0] += 1 }

    mutating func countExcess(_ scope: ClientFlow.Scope, ofTouches: Bool) {
        let index =
            switch scope {
            case .connection: 0
            case .account: 2
            case .address: 4
            }
        excesses[ofTouches ? index : index + 1] &+= 1
    }

    mutating func countConnectExcess() { excesses[6] &+= 1 }
    mutating func countJoinExcess(_ scope: ClientFlow.Scope) { excesses[scope == .account ? 7 : 8] &+= 1 }
}

/// The totals of a shard's relay where its rooms find them.
final class RelayCounters {
    var totals = RelayTotals()
}

extension ClientEvent {
    fileprivate var index: Int {
        switch self {
        case .touchMove: 0
        case .touchEnd: 1
        case .roomJoin: 2
        case .roomLeave: 3
        case .elementCreate: 4
        case .elementUpdate: 5
        case .elementDelete: 6
        case .authRefresh: 7
        }
    }
}
