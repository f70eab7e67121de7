import Threads

/// Ends the requests of some clients. For any thread.
package final class FetchStop: Sendable {
    private let state = Locked(false)

    package init() {}

    package var isSet: Bool { state.withLock { $0 } }

    package func set() { state.withLock { $0 = true } }
}
