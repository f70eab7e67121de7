import Rooms
import Sessions

/// A client that wants to enter a room: the question to the room's home, and the home's answer.
package struct Entry: Sendable {
    /// A new member joins; a client that comes back continues.
    package enum Purpose: Sendable {
        case join(SocketCall)
        /// `since` is the newest entry of the room's log that the client has; nil when it is not known.
        case goOn(ReturningRoom, since: UInt64?)
    }

    let connection: ConnectionID
    let person: Person
    let room: RoomID
    let purpose: Purpose
    /// The budget that pays for the answer; nil if an earlier answer was charged and could not be given.
    let budget: JoinBudget?
    /// The room's permission mark when the directory was asked.
    var mark: UInt64 = 0
    /// The room's description for clients, from the directory.
    var info: [UInt8] = []
    /// Whether the client's node knows a touch of this connection, which it sends as soon as the client has entered.
    var touchFollows = false

    /// Whether the client enters the room again over the connection with which it was in it.
    var hasStayed: Bool { if case .goOn(let before, _) = purpose { before.since != nil } else { false } }
}

/// A room to which a client comes back after its connection was lost.
package struct ReturningRoom: Sendable {
    let id: RoomID
    let incarnation: UInt64
    /// 0 for a room that had not answered yet: no trail has it.
    let membership: UInt64
    /// The newest entry that the client was sent, if it comes back without a new connection.
    var since: UInt64?

    /// A room of which the client gets the whole state.
    static func afresh(_ id: RoomID) -> ReturningRoom { ReturningRoom(id: id, incarnation: 0, membership: 0) }
}

/// The answer to a shard when a room has admitted one of its clients.
package struct EntryAnswer: Sendable {
    /// What the client gets.
    enum Told {
        /// The whole room, and the client's own entry in the list of participants.
        case state(RoomState, listed: [UInt8])
        /// The entries since the client's cursor.
        case missed([LogEntry])
    }

    let slot: Int
    let told: Told
    let snapshot: RoomDelta
    let seq: UInt64
    let idJSON: [UInt8]
    let incarnation: UInt64
    let gate: RoomGate
    /// Whether the room's home is another node.
    var isElsewhere = false
}
