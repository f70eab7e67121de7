import Rooms

/// What rooms leave behind when the last has left them, for who comes back. A bounded number of them; an empty canvas
/// leaves nothing.
struct LeftRooms {
    static let roomsMax = 10_000

    private var contents: [RoomID: RoomContents] = [:]
    /// The oldest first; also of some that were taken since.
    private var order: [RoomID] = []

    mutating func keep(_ left: RoomContents, of id: RoomID) {
        guard left.elementCount > 0 else { return }
        contents[id] = left
        order.append(id)
        if order.count > 2 * Self.roomsMax { order.removeAll { contents[$0] == nil } }
        while contents.count > Self.roomsMax, !order.isEmpty { contents[order.removeFirst()] = nil }
    }

    mutating func take(_ id: RoomID) -> RoomContents? {
        contents.removeValue(forKey: id)
    }
}
