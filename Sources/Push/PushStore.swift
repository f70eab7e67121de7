import Store
import Threads

/// The store, for a thread that waits for its answers.
final class PushStore {
    let store: any ServerStore
    private let limits: PushLimits
    private let report: @Sendable (PushNotice) -> Void
    /// Waits so many milliseconds; false when it is time to end.
    private let goesOn: @Sendable (_ afterMilliseconds: Int64) -> Bool
    private var isFailing = false

    init(
        _ store: any ServerStore, _ limits: PushLimits, report: @escaping @Sendable (PushNotice) -> Void,
        goesOn: @escaping @Sendable (Int64) -> Bool
    ) {
        self.store = store
        self.limits = limits
        self.report = report
        self.goesOn = goesOn
    }

    func ask<Value: Sendable>(
        _ question: (any ServerStore, @escaping Answer<Value>) -> Void
    ) throws(StoreError) -> Value {
        let answer = Monitor<Result<Value, StoreError>?>(nil)
        question(store) { result in
            answer.withLock { $0 = result }
            answer.notify()
        }
        let result: Result<Value, StoreError> = answer.wait { $0.map { .done($0) } ?? .again(at: nil) }
        return try result.get()
    }

    /// Stores a result, and repeats that until it succeeds. This process must not forget the result, or the
    /// notification would be sent twice.
    func mark(_ write: (any ServerStore, @escaping Answer<Void>) -> Void) {
        while true {
            do throws(StoreError) {
                return try ask(write)
            } catch {
                failed(error)
                guard error.isPassing, goesOn(limits.pollMilliseconds) else { return }
            }
        }
    }

    /// The first failure in a row is reported.
    func failed(_ error: StoreError) {
        if !isFailing { report(.outboxFailed(error.description)) }
        isFailing = true
    }

    func works() { isFailing = false }
}
