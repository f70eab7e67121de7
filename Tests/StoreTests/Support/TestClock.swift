import Threads

@testable import Store

/// A clock that stands until it is moved.
final class TestClock: Sendable {
    private let value: Monitor<Int64>

    init(_ now: Int64) {
        value = Monitor(now)
    }

    var now: Int64 {
        get { value.withLock { $0 } }
        set { value.withLock { $0 = newValue } }
    }
}
