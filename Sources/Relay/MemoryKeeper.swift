import Rooms
import Threads
import Transport

/// Keeps what rooms were left with in memory, for who comes back before the server ends. A bounded number of them; an
/// empty canvas leaves nothing.
public final class MemoryKeeper: RoomKeeper {
    static let roomsMax = 10_000

    private let left = Locked(AgedTable<RoomID, RoomContents>())

    public init() {}

    public func load(
        _ roomID: String, later: @escaping @Sendable (Result<RoomContents?, RoomError>) -> Void
    ) -> Result<RoomContents?, RoomError>? {
        .success(left.withLock { $0.remove(RoomID(roomID)) })
    }

    public func store(_ contents: RoomContents, of roomID: String) {
        guard contents.elementCount > 0 else { return }
        left.withLock { left in
            left.put(contents, for: RoomID(roomID))
            if left.count > Self.roomsMax { left.removeOldest() }
        }
    }
}
