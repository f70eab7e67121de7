/// Which connections are in which rooms, so that a client that comes back after a restart can be put where it was.
///
/// It is stored in the order of the calls, or lost when the place fails. Only the end of a seat is answered.
package protocol SeatStore: Sendable {
    /// A connection is in a room; also if it was before.
    func sit(_ seat: Seat)
    /// A connection is in a room no more; in no room, without one. From the answer on no restart brings it back there.
    func stand(_ pid: String, in room: String?, then answer: @escaping Answer<Void>)
    /// A connection was lost, and may come back.
    func lose(_ pid: String)
    /// All rooms of a connection that was lost, or whose server has ended, so many seconds ago at most.
    func seats(of pid: String, within seconds: Int64, then answer: @escaping Answer<[Seat]>)
}

package struct Seat: Sendable, Equatable {
    /// By which the client claims it.
    package let pid: String
    package let person: String
    package let room: String
    /// Of the room when the connection came in.
    package let incarnation: UInt64

    package init(pid: String, person: String, room: String, incarnation: UInt64) {
        self.pid = pid
        self.person = person
        self.room = room
        self.incarnation = incarnation
    }
}
