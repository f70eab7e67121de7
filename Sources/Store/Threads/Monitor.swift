import Glibc

/// A value behind a mutex, with threads that wait until it is as they want it.
final class Monitor<Value>: @unchecked Sendable {
    private var value: Value
    private let mutex: UnsafeMutablePointer<pthread_mutex_t>
    private let changed: UnsafeMutablePointer<pthread_cond_t>

    init(_ value: sending Value) {
        self.value = value
        mutex = .allocate(capacity: 1)
        mutex.initialize(to: pthread_mutex_t())
        changed = .allocate(capacity: 1)
        changed.initialize(to: pthread_cond_t())
        var attributes = pthread_condattr_t()
        pthread_condattr_init(&attributes)
        pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC)
        let areMade = pthread_mutex_init(mutex, nil) == 0 && pthread_cond_init(changed, &attributes) == 0
        pthread_condattr_destroy(&attributes)
        precondition(areMade, "a mutex could not be made")
    }

    deinit {
        pthread_cond_destroy(changed)
        changed.deallocate()
        pthread_mutex_destroy(mutex)
        mutex.deallocate()
    }

    func withLock<Result>(_ body: (inout Value) -> Result) -> Result {
        pthread_mutex_lock(mutex)
        defer { pthread_mutex_unlock(mutex) }
        return body(&value)
    }

    /// To be called after a change that somebody may wait for.
    func notify() {
        pthread_cond_broadcast(changed)
    }

    /// Waits until the body answers something; it is asked again after each change. Nil when the time has come first.
    func wait<Result>(until time: Int64?, _ body: (inout Value) -> Result?) -> Result? {
        pthread_mutex_lock(mutex)
        defer { pthread_mutex_unlock(mutex) }
        while true {
            if let result = body(&value) { return result }
            guard let time else {
                pthread_cond_wait(changed, mutex)
                continue
            }
            var at = timespec(tv_sec: Int(time / 1_000), tv_nsec: Int(time % 1_000) * 1_000_000)
            if pthread_cond_timedwait(changed, mutex, &at) == ETIMEDOUT { return body(&value) }
        }
    }
}
