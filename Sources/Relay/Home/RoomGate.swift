import Synchronization

/// Whether a room takes touches now. Its home says so, and the shards of its members look at it with every touch, which
/// costs them neither a message nor a lock.
final class RoomGate: Sendable {
    enum State: UInt8 {
        case open
        /// What the room logs waits to be stored, and it must not become more.
        case full
        /// The room was closed.
        case closed
    }

    private let state = Atomic<UInt8>(State.open.rawValue)

    /// A closed room stays closed. Called by the home alone.
    func set(_ state: State) {
        guard self.state.load(ordering: .relaxed) != State.closed.rawValue else { return }
        self.state.store(state.rawValue, ordering: .relaxed)
    }

    @inline(__always)
    var isOpen: Bool { state.load(ordering: .relaxed) == State.open.rawValue }
    var isFull: Bool { state.load(ordering: .relaxed) == State.full.rawValue }
}
