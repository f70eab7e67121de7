/// The rooms that a session is in or wants to join.
///
/// It joins one room at a time: a refused join comes back as an event that does not name the room.
struct JoinedRooms {
    typealias Done = (Result<Void, ClientError>) -> Void

    private struct Room {
        var isJoined = false
        var waiting: [Done] = []
        /// This client's id there.
        var ownID: String?
    }

    private var rooms: [String: Room] = [:]
    /// Rooms to be asked for, in order.
    private var queue: [String] = []
    private(set) var asked: String?
    /// The room that was wanted first, of those that are wanted still.
    private(set) var first: String?

    var ids: [String] { Array(rooms.keys) }

    func contains(_ id: String) -> Bool { rooms[id] != nil }
    func isJoined(_ id: String) -> Bool { rooms[id]?.isJoined ?? false }
    func ownID(in id: String) -> String? { rooms[id]?.ownID }

    mutating func want(_ id: String, _ done: @escaping Done) {
        rooms[id, default: Room()].waiting.append(done)
        first = first ?? id
        if asked != id, !queue.contains(id) { queue.append(id) }
    }

    /// The room to be asked for now.
    mutating func takeNext() -> String? {
        guard asked == nil, !queue.isEmpty else { return nil }
        asked = queue.removeFirst()
        return asked
    }

    /// The server has let it in. Answers false when it is not wanted any more.
    mutating func joined(_ id: String, ownID: String?) -> Bool {
        if asked == id { asked = nil }
        queue.removeAll { $0 == id }
        guard var room = rooms[id] else { return false }
        let waiting = room.waiting
        room.isJoined = true
        room.ownID = ownID
        room.waiting = []
        rooms[id] = room
        for done in waiting { done(.success(())) }
        return true
    }

    /// The join of the current room has to be sent again.
    mutating func putBack() {
        guard let id = asked.take() else { return }
        if rooms[id] != nil { queue.insert(id, at: 0) }
    }

    mutating func remove(_ id: String, _ error: ClientError) {
        if asked == id { asked = nil }
        queue.removeAll { $0 == id }
        let waiting = rooms.removeValue(forKey: id)?.waiting ?? []
        if first == id { first = rooms.keys.min() }
        for done in waiting { done(.failure(error)) }
    }

    mutating func disconnected() { putBack() }

    /// A recovered connection is still in its rooms. Another connection joins all of them again.
    mutating func reconnected(isRecovered: Bool) {
        for id in rooms.keys.sorted() where !(isRecovered && isJoined(id)) {
            rooms[id]?.isJoined = false
            if !queue.contains(id) { queue.append(id) }
        }
    }

    mutating func fail(_ error: ClientError) {
        let all = rooms.values.flatMap(\.waiting)
        rooms = [:]
        queue = []
        (asked, first) = (nil, nil)
        for done in all { done(.failure(error)) }
    }
}
