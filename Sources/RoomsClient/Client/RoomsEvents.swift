import Threads

/// The events of a client, from the moment on at which this was made. Each of several gets all of them.
///
/// What is not read waits, up to a bound: see `RoomsEvent.lagged`. A reader that only lags a little gets everything, less
/// the positions of touches that newer ones have replaced.
///
///     for await event in client.events() {
///         if case .touchMoved(let room, let user, let touch) = event { … }
///     }
public struct RoomsEvents: AsyncSequence, Sendable {
    let buffer: EventBuffer

    public struct AsyncIterator: AsyncIteratorProtocol {
        let buffer: EventBuffer

        /// Nil after the client was closed, or when the task is cancelled.
        public func next() async -> RoomsEvent? { await buffer.next() }

        public func next(isolation actor: isolated (any Actor)?) async -> RoomsEvent? { await buffer.next() }
    }

    public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(buffer: buffer) }
}

/// The readers of a client's events.
final class EventReaders: Sendable {
    private struct Reader {
        weak var buffer: EventBuffer?
    }

    private struct State {
        var readers: [Reader] = []
        var isFinished = false
    }

    private let state = Locked(State())

    func add(capacity: Int) -> EventBuffer {
        let buffer = EventBuffer(capacity: capacity)
        let isFinished = state.withLock { state in
            state.readers.removeAll { $0.buffer == nil }
            if !state.isFinished { state.readers.append(Reader(buffer: buffer)) }
            return state.isFinished
        }
        if isFinished { buffer.finish() }
        return buffer
    }

    func push(_ event: RoomsEvent, states: () -> [RoomState]) {
        for buffer in all { buffer.push(event, states: states) }
    }

    func finish() {
        state.withLock { $0.isFinished = true }
        for buffer in all { buffer.finish() }
    }

    private var all: [EventBuffer] { state.withLock { $0.readers.compactMap(\.buffer) } }
}
