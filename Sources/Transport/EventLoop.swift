import CLibWebSockets
import Threads

/// A libuv loop with its libwebsockets context and the sockets that it watches, for one thread at a time.
///
/// Loops are never destroyed, but kept for the next server of this process. When a context is destroyed, libwebsockets
/// closes the descriptor of its event pipe twice. By the second time the number can belong to another thread's file.
final class EventLoop: @unchecked Sendable {
    let loop: UnsafeMutablePointer<uv_loop_t>
    let sockets: SocketSet

    private static let idle = Locked<[EventLoop]>([])

    private init(loop: UnsafeMutablePointer<uv_loop_t>, sockets: SocketSet) {
        self.loop = loop
        self.sockets = sockets
    }

    /// An unused loop, or a new one; nil when it cannot be made.
    static func take() -> EventLoop? {
        // One after another: libwebsockets loads its event-loop plug-in while it makes a context.
        idle.withLock { idle in
            if let kept = idle.popLast() { return kept }
            let loop = UnsafeMutablePointer<uv_loop_t>.allocate(capacity: 1)
            loop.initialize(to: uv_loop_t())
            if uv_loop_init(loop) == 0 {
                if let sockets = SocketSet(), let context = rooms_context_create(loop), sockets.join(context) {
                    return EventLoop(loop: loop, sockets: sockets)
                }
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

    /// Lets the loop complete its closed handles, and keeps it for the next user. The user must have closed everything
    /// of its own.
    func giveBack() {
        for _ in 0..<4 { uv_run(loop, UV_RUN_NOWAIT) }
        Self.idle.withLock { $0.append(self) }
    }
}
