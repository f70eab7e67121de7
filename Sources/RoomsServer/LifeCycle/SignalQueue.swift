import Glibc

/// Signals that are taken one by one by a thread that waits for them, and interrupt nobody.
struct SignalQueue {
    private var wanted = sigset_t()

    /// To be made before other threads are, which inherit that these signals are blocked.
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
