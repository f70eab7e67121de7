import Rooms
import Sessions

/// A client that wants into a room: on its way to the room's home, and what the home answers.
package struct Entry: Sendable {
    /// A new member joins; a client that comes back goes on where it was.
    package enum Purpose: Sendable {
        case join(SocketCall)
        /// `since` is the newest entry of the room's log that the client has; nil when that is not known.
        case goOn(ReturningRoom, since: UInt64?)
    }

    let connection: ConnectionID
    let person: Person
    let room: RoomID
    let purpose: Purpose
    /// What the answer is charged to; nil when it was charged before and could not be given.
    let budget: JoinBudget?
    /// How often people had been put out of the room when the permission was looked up.
    var mark: UInt64 = 0
    /// The room as clients are shown it, by the directory.
    var info: [UInt8] = []
}

/// A room in which a client goes on after its connection was lost.
package struct ReturningRoom: Sendable {
    let id: RoomID
    let incarnation: UInt64
    /// 0 for a room that had not answered yet: no trail knows it.
    let membership: UInt64

    /// A room of which the client is told the whole state.
    static func afresh(_ id: RoomID) -> ReturningRoom { ReturningRoom(id: id, incarnation: 0, membership: 0) }
}

/// What a shard is told when a room has let one of its clients in.
package struct EntryAnswer: Sendable {
    /// What the client is told.
    enum Told {
        /// The whole room, and the client's own entry in the list of participants.
        case state(RoomState, listed: [UInt8])
        /// What was logged since the client was here.
        case missed([LogEntry])
    }

    let slot: Int
    let told: Told
    let snapshot: RoomDelta
    let seq: UInt64
    let idJSON: [UInt8]
    let incarnation: UInt64
    let gate: RoomGate
}
