import Glibc

/// Signals as a queue: one thread waits for them and takes them one by one. They interrupt no other thread.
struct SignalQueue {
    private var wanted = sigset_t()

    /// Make it before other threads: they inherit that these signals are blocked.
    init(_ signals: [Int32]) {
        sigemptyset(&wanted)
        for signal in signals { sigaddset(&wanted, signal) }
        pthread_sigmask(SIG_BLOCK, &wanted, nil)
    }

    func wait() -> Int32 {
        var wanted = wanted
        var signal: Int32 = 0
        sigwait(&wanted, &signal)
        return signal
    }

    /// - Parameter milliseconds: nil to wait until one comes.
    func wait(milliseconds: Int?) -> Int32? {
        guard let milliseconds else { return wait() }
        var wanted = wanted
        var time = timespec(tv_sec: milliseconds / 1_000, tv_nsec: milliseconds % 1_000 * 1_000_000)
        let signal = sigtimedwait(&wanted, nil, &time)
        return signal > 0 ? signal : nil
    }
}
