import Synchronization

/// A number that many threads change and any may read.
public final class Counter: Sendable {
    private let number = Atomic<Int>(0)

    public init() {}

    public var value: Int { number.load(ordering: .relaxed) }

    public func set(_ value: Int) {
        number.store(value, ordering: .relaxed)
    }

    @discardableResult
    public func add(_ amount: Int = 1) -> Int {
        number.wrappingAdd(amount, ordering: .relaxed).newValue
    }

    public func subtract(_ amount: Int = 1) {
        number.wrappingSubtract(amount, ordering: .relaxed)
    }
}
