import Threads

/// The health and the counts of the store, for any thread.
final class StoreState: Sendable {
    private struct Value {
        var health = StoreHealth.good
        var counters = StoreCounters()
        var onHealth: (@Sendable (StoreHealth) -> Void)?
    }

    private let value = Monitor(Value())

    var health: StoreHealth { value.withLock { $0.health } }
    var counters: StoreCounters { value.withLock { $0.counters } }

    func onHealth(_ handler: @escaping @Sendable (StoreHealth) -> Void) {
        value.withLock { $0.onHealth = handler }
    }

    func count(_ change: (inout StoreCounters) -> Void) {
        value.withLock { change(&$0.counters) }
    }

    /// Calls the handler with a change, on this thread.
    func turn(_ health: StoreHealth) {
        let handler: (@Sendable (StoreHealth) -> Void)? = value.withLock { value in
            guard value.health != health else { return nil }
            value.health = health
            return value.onHealth
        }
        handler?(health)
    }
}
