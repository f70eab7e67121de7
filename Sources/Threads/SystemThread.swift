import Glibc

/// A thread that runs one function to its end.
package struct SystemThread: Sendable {
    private final class Start: Sendable {
        let body: @Sendable () -> Void

        init(_ body: @escaping @Sendable () -> Void) {
            self.body = body
        }
    }

    private let thread: pthread_t

    /// Nil when the system has no more threads. Join or detach it once.
    package init?(_ body: @escaping @Sendable () -> Void) {
        let start = Unmanaged.passRetained(Start(body))
        var thread = pthread_t()
        let status = pthread_create(
            &thread, nil,
            { argument in
                guard let argument else { return nil }
                Unmanaged<Start>.fromOpaque(argument).takeRetainedValue().body()
                return nil
            }, start.toOpaque())
        guard status == 0 else {
            start.release()
            return nil
        }
        self.thread = thread
    }

    /// Waits for its end.
    package func join() {
        pthread_join(thread, nil)
    }

    /// Runs the body on a thread of its own, which is not joined. False when the system has no more threads.
    package static func detach(_ body: @escaping @Sendable () -> Void) -> Bool {
        guard let thread = SystemThread(body) else { return false }
        pthread_detach(thread.thread)
        return true
    }
}
