import Transport

/// The rooms of one home shard whose touches are being gathered on another, and when they are to go there.
final class TouchDispatch {
    let timer = LoopTimer()
    private var rooms: [LocalRoom] = []
    /// When the first of them has to go.
    private(set) var dueAt = Int64.max

    var isEmpty: Bool { rooms.isEmpty }

    /// Notes a room with its first touch since it was last taken.
    func add(_ room: LocalRoom, due: Int64) {
        rooms.append(room)
        dueAt = min(dueAt, due)
    }

    /// All that has been gathered: what goes for one room takes the others' along.
    func take() -> [(room: LocalRoom, parcel: TouchParcel)] {
        let taken = rooms.map { (room: $0, parcel: $0.takeTouches()) }
        rooms = []
        dueAt = .max
        return taken
    }
}
