import Threads
import Rooms
import Transport

/// Keeps what rooms were left with in memory, for who comes back before the server ends. A bounded number of them; an
/// empty canvas leaves nothing.
public final class MemoryKeeper: RoomKeeper {
    static let roomsMax = 10_000

    private let left = Locked(LeftRooms())

    public init() {}

    public func load(
        _ roomID: String, later: @escaping @Sendable (Result<RoomContents?, RoomError>) -> Void
    ) -> Result<RoomContents?, RoomError>? {
        .success(left.withLock { $0.take(RoomID(roomID)) })
    }

    public func store(_ contents: RoomContents, of roomID: String) {
        guard contents.elementCount > 0 else { return }
        left.withLock { $0.keep(contents, of: RoomID(roomID)) }
    }
}

private struct LeftRooms {
    private var contents: [RoomID: RoomContents] = [:]
    /// The oldest first; also of some that were taken since.
    private var order: [RoomID] = []

    mutating func keep(_ left: RoomContents, of id: RoomID) {
        contents[id] = left
        order.append(id)
        if order.count > 2 * MemoryKeeper.roomsMax { order.removeAll { contents[$0] == nil } }
        while contents.count > MemoryKeeper.roomsMax, !order.isEmpty { contents[order.removeFirst()] = nil }
    }

    mutating func take(_ id: RoomID) -> RoomContents? {
        contents.removeValue(forKey: id)
    }
}
