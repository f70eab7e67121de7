import Transport

/// The rooms of another home shard for which this shard gathers touches, and the time at which it sends them.
final class TouchDispatch {
    let timer = LoopTimer()
    private var rooms: [LocalRoom] = []
    /// When the first room's touches have to be sent.
    private(set) var dueAt = Int64.max

    var isEmpty: Bool { rooms.isEmpty }

    /// Adds a room, with its first touch since the last `take`.
    func add(_ room: LocalRoom, due: Int64) {
        rooms.append(room)
        dueAt = min(dueAt, due)
    }

    /// All gathered touches: when those of one room are due, those of the others are sent with them.
    func take(at now: Int64) -> [(room: LocalRoom, parcel: TouchParcel)] {
        let taken = rooms.map { (room: $0, parcel: $0.takeTouches(at: now)) }
        rooms = []
        dueAt = .max
        return taken
    }
}
