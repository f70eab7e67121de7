import Rooms
import Sessions
import Store

/// The end of a client's seat in a room; without a room, of all its seats.
package struct SeatRemoval: Sendable {
    struct Place: Hashable {
        let pid: SessionID
        let room: RoomID?
    }

    let place: Place
    /// The connection whose client may be in the room again, as its own node knows it.
    var connection: ConnectionID?

    init(pid: SessionID, room: RoomID?, connection: ConnectionID? = nil) {
        place = Place(pid: pid, room: room)
        self.connection = connection
    }

    var pid: SessionID { place.pid }
    var room: RoomID? { place.room }
}

/// Removals that the store could not make, in the order of their age. Their number is bounded.
///
/// While the store lacks a removal, its seat does not count: a client must not come back to a room that it was removed
/// from.
struct SeatRemovals {
    /// Past it the oldest is forgotten.
    static let countMax = 10_000

    private var removals = AgedTable<SeatRemoval.Place, SeatRemoval>()

    var count: Int { removals.count }

    mutating func put(_ removal: SeatRemoval) {
        removals.put(removal, for: removal.place)
        if removals.count > Self.countMax { removals.removeOldest() }
    }

    /// The client has a seat in the room again.
    mutating func cancel(_ pid: SessionID, in room: RoomID) {
        removals.remove(SeatRemoval.Place(pid: pid, room: room))
    }

    mutating func takeOldest() -> SeatRemoval? { removals.removeOldest() }

    func has(_ pid: SessionID, in room: RoomID) -> Bool {
        [room, nil].contains { removals[SeatRemoval.Place(pid: pid, room: $0)] != nil }
    }
}

extension RelayPart {
    /// Deletes seats in the store. `Returns` repeats what the store could not do, and is told of it before any later
    /// answer of the store.
    func remove(_ removal: SeatRemoval, then answer: @escaping @Sendable (Bool) -> Void = { _ in }) {
        let mailbox = context.mailboxes[returnsShard(of: removal.pid)]
        hub.store?.stand(removal.pid.description, in: removal.room?.text) { result in
            var isStored = true
            if case .failure = result {
                isStored = false
                mailbox.insist(RelayMessage.returns(.notStood(removal)))
            }
            answer(isStored)
        }
    }
}
