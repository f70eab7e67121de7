import Rooms
import Sessions
import Transport

/// The counts of one shard's relay: plain numbers of its thread, copied on request.
package struct RelayTotals: Sendable {
    // MARK: Events

    private var events = InlineArray<12, Int>(repeating: 0)
    private var errors: [RoomError.Code: Int] = [:]
    /// By `limits`.
    private var excesses = InlineArray<9, Int>(repeating: 0)

    // MARK: Touches, on the home shards

    /// Positions that rooms took, and those of them that were sent with a tick. Newer positions had overwritten the
    /// others.
    package internal(set) var touchesTaken = 0
    package internal(set) var touchesTicked = 0
    package internal(set) var ticks = 0
    package internal(set) var entriesLogged = 0

    // MARK: Delivery, on the members' shards

    /// Positions that were written to members.
    package internal(set) var touchesSent = 0
    /// How often a whole tick was written to a member, as one of many with the same bytes.
    package internal(set) var updates = 0
    /// How often the missing entries were written to a member that was behind.
    package internal(set) var catchUps = 0
    /// Members that were further behind than the log reached back.
    package internal(set) var lostMembers = 0

    // MARK: Coming back

    /// Connections that continued an earlier one, and claims that failed.
    package internal(set) var recoveries = 0
    package internal(set) var recoveriesRefused = 0
    /// Rooms in which such a connection got the missed entries, and those of which it got the whole state.
    package internal(set) var roomsResumed = 0
    package internal(set) var roomsToldAnew = 0
    /// Rooms that another node has become home to, while this one was.
    package var homesLost = 0
    /// How often the members of a room on a shard entered it again without a new connection.
    package var resyncs = 0

    // MARK: What is there now

    package internal(set) var memberships = 0
    package internal(set) var participants = 0
    package internal(set) var elements = 0
    package internal(set) var logBytes = 0
    package internal(set) var backlogEntries = 0
    package internal(set) var backlogBytes = 0

    /// The time from an append to the store's answer.
    package internal(set) var appends = DurationHistogram()
    package internal(set) var appendsFailed = 0
    /// Entries that the database had confirmed and lost.
    package internal(set) var entriesStoredAgain = 0

    /// Counts by event name. Unknown names count together under `other`.
    package var eventsByName: [(name: String, count: Int)] {
        ClientEvent.allCases.map { ($0.rawValue, events[$0.index]) } + [("other", events[ClientEvent.allCases.count])]
    }

    package func refused(_ code: RoomError.Code) -> Int { errors[code] ?? 0 }

    /// Events that were refused for coming too often, by the setting of the limit.
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

/// The totals of a shard's relay, shared by its rooms.
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
        case .elementEdit: 8
        case .elementCaret: 9
        case .viewSet: 10
        }
    }
}
