import CLibWebSockets
import CSystem
import Glibc

/// What a connection waits for at its socket.
struct SocketInterest: OptionSet {
    let rawValue: UInt32

    static let readable = SocketInterest(rawValue: EPOLLIN.rawValue)
    static let writable = SocketInterest(rawValue: EPOLLOUT.rawValue)
}

/// What the system tells of a socket.
struct SocketReadiness {
    fileprivate let events: UInt32

    /// An error of the socket, such as a reset.
    var hasFailed: Bool { has(EPOLLERR) }
    /// Once both sides are closed, whatever is asked of the socket is answered at once.
    var isReadable: Bool { has(EPOLLIN) || has(EPOLLHUP) }
    var isWritable: Bool { has(EPOLLOUT) || has(EPOLLHUP) }

    private func has(_ event: EPOLL_EVENTS) -> Bool { events & event.rawValue != 0 }
}

/// The sockets of the connections of one event loop.
///
/// They are in an epoll set. libwebsockets watches the set as one descriptor of its raw role, and tells when a socket of
/// it is ready. An object of libwebsockets for each socket would take a kilobyte, and two calls more for each event.
final class SocketSet {
    /// Of the sockets that are ready, so many are served in a turn; the rest in the next one.
    private static let readyMax = 1_024

    private let fd: Int32
    private let ready: UnsafeMutablePointer<epoll_event>

    init?() {
        fd = epoll_create1(Int32(EPOLL_CLOEXEC))
        guard fd >= 0 else { return nil }
        ready = .allocate(capacity: Self.readyMax)
        ready.initialize(repeating: epoll_event(), count: Self.readyMax)
    }

    /// Has `context` call `serve` from now on. The context keeps the descriptor, and the caller the set, for as long as
    /// the process lives.
    func join(_ context: OpaquePointer) -> Bool {
        rooms_adopt(context, fd, Unmanaged.passUnretained(self).toOpaque())
    }

    /// Changes what is waited for. With an empty interest the set does not have the socket: without this it would tell
    /// again and again that the peer has gone.
    ///
    /// - Returns: false when the system refuses.
    func change(_ connection: Connection, from old: SocketInterest, to new: SocketInterest) -> Bool {
        guard old != new else { return true }
        var event = epoll_event()
        event.events = new.rawValue
        event.data.ptr = Unmanaged.passUnretained(connection).toOpaque()
        let operation = old.isEmpty ? EPOLL_CTL_ADD : new.isEmpty ? EPOLL_CTL_DEL : EPOLL_CTL_MOD
        return epoll_ctl(fd, operation, connection.fd, &event) == 0
    }

    /// Tells the connections whose sockets are ready. A connection that ends meanwhile is kept until the end of the turn.
    func serve() {
        let count = epoll_wait(fd, ready, Int32(Self.readyMax), 0)
        for index in 0..<max(Int(count), 0) {
            guard let owner = ready[index].data.ptr else { continue }
            let readiness = SocketReadiness(events: ready[index].events)
            Unmanaged<Connection>.fromOpaque(owner)._withUnsafeGuaranteedRef { $0.socketReady(readiness) }
        }
    }
}
