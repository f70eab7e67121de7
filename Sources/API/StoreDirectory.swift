import Rooms
import Store

/// The rooms of the store, which their members may join.
///
/// In `open` mode any id names a room. A room of the store then has its stored description.
package struct StoreDirectory: RoomDirectory {
    private let store: any ServerStore
    private let isOpen: Bool

    package init(_ store: any ServerStore, isOpen: Bool) {
        self.store = store
        self.isOpen = isOpen
    }

    package func find(
        _ roomID: String, for person: Person, later: @escaping @Sendable (Result<[UInt8], RoomError>) -> Void
    ) -> Result<[UInt8], RoomError>? {
        let isOpen = isOpen
        store.room(roomID) { answer in
            later(Self.permission(answer, roomID, person, isOpen: isOpen))
        }
        return nil
    }

    /// The description of a room for joins.
    static func shown(_ room: RoomRecord) -> [UInt8] {
        room.creator == nil ? RoomInfo.ofID(room.id) : RoomShown.json(room)
    }

    private static func permission(
        _ answer: Result<RoomRecord?, StoreError>, _ roomID: String, _ person: Person, isOpen: Bool
    ) -> Result<[UInt8], RoomError> {
        switch answer {
        case .failure: return .failure(RoomError(.server, "The server cannot reach its store at the moment."))
        case .success(let room?):
            guard isOpen || room.member(person.id) != nil else {
                return .failure(RoomError(.forbidden, "You are not a member of this room."))
            }
            guard room.isActive else { return .failure(RoomError(.notFound, "The room is closed.")) }
            return .success(Self.shown(room))
        case .success(nil):
            return isOpen
                ? .success(RoomInfo.ofID(roomID)) : .failure(RoomError(.notFound, "There is no such room."))
        }
    }
}
