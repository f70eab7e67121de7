import Synchronization

/// Whether a room accepts touches now. Its home sets it, and the shards of its members read it with every touch,
/// without a message or a lock.
final class RoomGate: Sendable {
    enum State: UInt8 {
        case open
        /// Too many entries of the room wait to be stored.
        case full
        /// The room was closed.
        case closed
    }

    private let state = Atomic<UInt8>(State.open.rawValue)

    /// A closed room stays closed. Only the home calls this.
    func set(_ state: State) {
        guard self.state.load(ordering: .relaxed) != State.closed.rawValue else { return }
        self.state.store(state.rawValue, ordering: .relaxed)
    }

    @inline(__always)
    var isOpen: Bool { state.load(ordering: .relaxed) == State.open.rawValue }
    var isFull: Bool { state.load(ordering: .relaxed) == State.full.rawValue }
}
