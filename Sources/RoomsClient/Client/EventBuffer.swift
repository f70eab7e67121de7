import Threads

/// Events from the loop's thread to one reader, in a bounded number.
///
/// Of a touch that moves only the newest position is kept, in the place of the first unread one. When the buffer is
/// full, all unread events are dropped, and the reader gets the current states of the rooms. It misses events, but not
/// their results.
final class EventBuffer: Sendable {
    private struct TouchKey: Hashable {
        let room: String
        let user: String
    }

    private struct State {
        var ring: [RoomsEvent?] = []
        /// The number of the event at `head`; numbers go up by one.
        var first = 0
        var head = 0
        var touches: [TouchKey: Int] = [:]
        var missed = 0
        var states: [RoomState]?
        var isFinished = false
        var readers: [(id: UInt64, continuation: CheckedContinuation<RoomsEvent?, Never>)] = []
        var cancelled: Set<UInt64> = []
        var nextReader: UInt64 = 1

        var count: Int { ring.count - head }
    }

    private let capacity: Int
    private let state = Locked(State())

    init(capacity: Int) {
        self.capacity = max(capacity, 1)
    }

    // MARK: In

    /// - Parameter states: of all rooms, with this event taken in.
    func push(_ event: RoomsEvent, states: () -> [RoomState]) {
        let waiting = state.withLock { state -> CheckedContinuation<RoomsEvent?, Never>? in
            guard !state.isFinished else { return nil }
            if !state.readers.isEmpty { return state.readers.removeFirst().continuation }
            append(event, &state, states)
            return nil
        }
        waiting?.resume(returning: event)
    }

    private func append(_ event: RoomsEvent, _ state: inout State, _ states: () -> [RoomState]) {
        switch event {
        case .touchMoved(let room, let user, _):
            let key = TouchKey(room: room, user: user)
            if let number = state.touches[key] {
                state.ring[state.head + number - state.first] = event
                return
            }
            state.touches[key] = state.first + state.count
        case .touchEnded(let room, let user), .touchLeft(let room, let user, _):
            // The next position belongs to another touch, and must not be told before this end.
            state.touches[TouchKey(room: room, user: user)] = nil
        case .joined, .lagged:
            state.touches = [:]
        default: break
        }
        guard state.count < capacity else {
            state.missed += state.count + 1
            state.states = states()
            state.first += state.count
            state.ring = []
            state.head = 0
            state.touches = [:]
            return
        }
        state.ring.append(event)
    }

    /// No more events follow. Waiting ones are still read.
    func finish() {
        let waiting = state.withLock { state in
            state.isFinished = true
            let readers = state.readers
            state.readers = []
            return readers
        }
        for reader in waiting { reader.continuation.resume(returning: nil) }
    }

    // MARK: Out

    /// The next event; nil after the last, or when the task is cancelled.
    func next() async -> RoomsEvent? {
        let id = state.withLock { state in
            state.nextReader += 1
            return state.nextReader
        }
        defer { state.withLock { _ = $0.cancelled.remove(id) } }
        return await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let answer = state.withLock { state -> RoomsEvent?? in
                    if state.cancelled.remove(id) != nil { return .some(nil) }
                    if let event = Self.take(&state) { return .some(event) }
                    if state.isFinished { return .some(nil) }
                    state.readers.append((id, continuation))
                    return nil
                }
                if let answer { continuation.resume(returning: answer) }
            }
        } onCancel: {
            cancel(id)
        }
    }

    private static func take(_ state: inout State) -> RoomsEvent? {
        if let states = state.states.take() {
            defer { state.missed = 0 }
            return .lagged(missed: state.missed, states)
        }
        guard state.count > 0, let event = state.ring[state.head] else { return nil }
        state.ring[state.head] = nil
        state.head += 1
        if case .touchMoved(let room, let user, _) = event {
            let key = TouchKey(room: room, user: user)
            if state.touches[key] == state.first { state.touches[key] = nil }
        }
        state.first += 1
        if state.head > 64, state.head * 2 > state.ring.count {
            state.ring.removeFirst(state.head)
            state.head = 0
        }
        return event
    }

    private func cancel(_ id: UInt64) {
        let waiting = state.withLock { state -> CheckedContinuation<RoomsEvent?, Never>? in
            guard let index = state.readers.firstIndex(where: { $0.id == id }) else {
                // It has not begun to wait, or was served already.
                state.cancelled.insert(id)
                return nil
            }
            return state.readers.remove(at: index).continuation
        }
        waiting?.resume(returning: nil)
    }
}
