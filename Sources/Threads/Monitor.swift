import Glibc

/// A value behind a mutex, with threads that wait until it is as they want it.
package final class Monitor<Value>: @unchecked Sendable {
    package enum Attempt<Result> {
        case done(Result)
        /// Not yet: to be tried again when the value has changed, and at this time if nothing happened before.
        case again(at: Int64?)
    }

    private var value: Value
    private let mutex: UnsafeMutablePointer<pthread_mutex_t>
    private let changed: UnsafeMutablePointer<pthread_cond_t>

    package init(_ value: sending Value) {
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

    package func withLock<Result>(_ body: (inout Value) -> Result) -> Result {
        pthread_mutex_lock(mutex)
        defer { pthread_mutex_unlock(mutex) }
        return body(&value)
    }

    /// Call it without the lock, after a change for which a thread may wait.
    package func notify() {
        pthread_cond_broadcast(changed)
    }

    /// Tries, with the lock, until it is done; other threads have the lock in between.
    package func wait<Result>(_ attempt: (inout Value) -> Attempt<Result>) -> Result {
        pthread_mutex_lock(mutex)
        defer { pthread_mutex_unlock(mutex) }
        while true {
            switch attempt(&value) {
            case .done(let result): return result
            case .again(at: nil): pthread_cond_wait(changed, mutex)
            case .again(let time?):
                var time = timespec(tv_sec: Int(time / 1_000), tv_nsec: Int(time % 1_000) * 1_000_000)
                pthread_cond_timedwait(changed, mutex, &time)
            }
        }
    }
}
