import Rooms

/// Any room that somebody names is there, for everybody.
public struct OpenDirectory: RoomDirectory {
    public init() {}

    public func find(
        _ roomID: String, for person: Person, later: @escaping @Sendable (Result<[UInt8], RoomError>) -> Void
    ) -> Result<[UInt8], RoomError>? {
        .success(RoomInfo.ofID(roomID))
    }
}
