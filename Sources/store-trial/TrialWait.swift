import Dispatch
import Store

/// Waits for the store's answers.
enum TrialWait {
    private final class Box<Value: Sendable>: @unchecked Sendable {
        var result: Result<Value, StoreError>?
    }

    static func result<Value: Sendable>(_ call: (@escaping Answer<Value>) -> Void) throws -> Value {
        let box = Box<Value>()
        let done = DispatchSemaphore(value: 0)
        call { result in
            box.result = result
            done.signal()
        }
        done.wait()
        guard let result = box.result else { throw TrialFailure("no answer") }
        return try result.get()
    }
}
