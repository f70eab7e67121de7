import Threads
import Transport

/// An answer that somebody waits for: given once, and given also when whoever was to give it is gone. A job that a full
/// mailbox drops, a room that is given up when the server stops: all let go of this, and that answers.
final class Reply<Value: Sendable>: Sendable {
    private let done: Locked<(@Sendable (Value) -> Void)?>
    private let otherwise: Value

    /// - Parameter otherwise: the answer when nobody gives another.
    init(otherwise: Value, _ done: @escaping @Sendable (Value) -> Void) {
        self.otherwise = otherwise
        self.done = Locked(done)
    }

    deinit {
        give(otherwise)
    }

    func give(_ value: Value) {
        let done = done.withLock { done in
            defer { done = nil }
            return done
        }
        done?(value)
    }
}
