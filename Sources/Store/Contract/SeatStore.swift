import Rooms

/// The seats: which connections are in which rooms, so that clients that come back after a restart get their rooms
/// back.
///
/// Seats are stored in the order of the calls, and lost when the store fails. Only the end of a seat is answered.
///
/// In a cluster a client may have come back to another node before this one knows it, because this one was frozen: a seat that
/// another node has taken since is neither removed nor lost.
package protocol SeatStore: Sendable {
    /// Adds a seat: a connection is in a room. It may have been there before.
    ///
    /// - Parameter claim: whether the seat is taken from a connection at another node.
    func sit(_ seat: Seat, _ claim: SeatClaim)
    /// Removes the seat of a connection in a room; without a room, all its seats. After the answer no restart brings it
    /// back there.
    func stand(_ pid: String, in room: String?, then answer: @escaping Answer<Void>)
    /// A connection was lost. Its client may come back.
    func lose(_ pid: String)
    /// All seats of a connection that was lost, or whose server has ended, at most so many seconds ago.
    ///
    /// - Parameter offset: the newest place in a log that the client knows. It can be of an earlier incarnation of a room than the
    ///   client's seat, when the client has come back to the room and nothing has happened there since. The seat in the room whose
    ///   log has that entry is given with the incarnation of the entry.
    func seats(
        of pid: String, showing offset: LogOffset?, within seconds: Int64, then answer: @escaping Answer<[Seat]>)
}

extension SeatStore {
    package func seats(of pid: String, within seconds: Int64, then answer: @escaping Answer<[Seat]>) {
        seats(of: pid, showing: nil, within: seconds, then: answer)
    }

    package func sit(_ seat: Seat) { sit(seat, .firm) }
}

/// What a connection's seat is worth beside that of a connection at another node.
package enum SeatClaim: Sendable, Equatable {
    /// It replaces the other one: there are no other nodes.
    case firm
    /// It replaces the other one while the lease is not over under which the node knows that the client is there: in this life
    /// of the node, after so many lapses. Afterwards the client may have come back to another node before this is stored.
    case under(boot: Int64, lapses: Int)
    /// The other one stays.
    case weak
}

package struct Seat: Sendable, Equatable {
    /// The client claims it by this `pid`.
    package let pid: String
    package let person: String
    package let room: String
    /// The room's incarnation when the connection joined.
    package let incarnation: UInt64

    package init(pid: String, person: String, room: String, incarnation: UInt64) {
        self.pid = pid
        self.person = person
        self.room = room
        self.incarnation = incarnation
    }
}
