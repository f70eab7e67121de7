import CLibWebSockets
import Threads

/// A libuv loop with the libwebsockets context on it, for one thread at a time.
///
/// They are never destroyed but kept for the next server of this process: when a context is destroyed, libwebsockets
/// closes the descriptor of its event pipe twice, and by the second time the number can be another thread's.
final class EventLoop: @unchecked Sendable {
    let loop: UnsafeMutablePointer<uv_loop_t>
    let context: OpaquePointer

    private static let idle = Locked<[EventLoop]>([])

    private init(loop: UnsafeMutablePointer<uv_loop_t>, context: OpaquePointer) {
        self.loop = loop
        self.context = context
    }

    /// One that nobody uses, or a new one; nil when that cannot be made.
    static func take() -> EventLoop? {
        // One after another: libwebsockets loads its event-loop plug-in while it makes a context.
        idle.withLock { idle in
            if let kept = idle.popLast() { return kept }
            let loop = UnsafeMutablePointer<uv_loop_t>.allocate(capacity: 1)
            loop.initialize(to: uv_loop_t())
            if uv_loop_init(loop) == 0 {
                if let context = rooms_context_create(loop) { return EventLoop(loop: loop, context: context) }
                uv_loop_close(loop)
            }
            loop.deallocate()
            return nil
        }
    }

    /// Runs until `stop` was called from within.
    func run() {
        uv_run(loop, UV_RUN_DEFAULT)
    }

    func stop() {
        uv_stop(loop)
    }

    /// Lets the loop complete what was closed on it, and keeps it. Everything of its user's must have been closed.
    func giveBack() {
        // A descriptor that is released closes its handle in one turn and is freed in the next.
        for _ in 0..<4 { uv_run(loop, UV_RUN_NOWAIT) }
        Self.idle.withLock { $0.append(self) }
    }
}
