import Rooms

/// Any room that somebody names is there, for everybody.
package struct OpenDirectory: RoomDirectory {
    package init() {}

    package func find(
        _ roomID: String, for person: Person, later: @escaping @Sendable (Result<[UInt8], RoomError>) -> Void
    ) -> Result<[UInt8], RoomError>? {
        .success(RoomInfo.ofID(roomID))
    }
}
