import Glibc
import Transport

/// What another process passed to this one: listening sockets, and a channel to the server that this one takes over
/// from.
struct Inheritance {
    /// `COUNT` or `COUNT:keep` (files of Unix sockets are not the server's): so many sockets from descriptor 3 on, and
    /// the channel behind them.
    static let variable = "HANDOVER_SOCKETS"
    private static let first: Int32 = 3
    private static let countMax = 4_000

    let sockets: InheritedSockets
    /// A byte on it tells the predecessor that this process is prepared. It ends when the predecessor has released
    /// everything.
    private let channel: Int32?

    /// Empty unless there is a predecessor, or a service manager that passes sockets on (`LISTEN_FDS`).
    init(_ environment: [String: String]) throws(TransportError) {
        if let value = environment[Self.variable] {
            let parts = value.split(separator: ":")
            guard let text = parts.first, let count = Int32(text), (0...Self.countMax).contains(Int(count)) else {
                throw TransportError(description: "\(Self.variable) is wrong; only the server itself sets it")
            }
            let end = Self.first + count
            sockets = try InheritedSockets(Self.first..<end, keepsFiles: parts.count > 1)
            _ = fcntl(end, F_SETFD, FD_CLOEXEC)
            channel = end
        } else if environment["LISTEN_PID"] == "\(getpid())", let count = environment["LISTEN_FDS"].flatMap(Int32.init),
            (0...Self.countMax).contains(Int(count))
        {
            sockets = try InheritedSockets(Self.first..<(Self.first + count), keepsFiles: true)
            channel = nil
        } else {
            sockets = InheritedSockets()
            channel = nil
        }
    }

    var hasPredecessor: Bool { channel != nil }

    enum Wait {
        case over
        /// A signal asked this process to end before it was its turn.
        case stopped
    }

    /// Says that everything is prepared and waits until the predecessor has closed its data and ended, or died.
    func waitForPredecessor(_ signals: SignalQueue, _ watchdog: Watchdog) -> Wait {
        guard let channel else { return .over }
        var byte = UInt8(1)
        _ = send(channel, &byte, 1, Int32(MSG_NOSIGNAL))
        while true {
            watchdog.comeBy()
            if hasEnded(channel, afterMilliseconds: 50) { return .over }
            if let signal = signals.wait(milliseconds: 0), signal == SIGTERM || signal == SIGINT { return .stopped }
        }
    }

    private func hasEnded(_ channel: Int32, afterMilliseconds milliseconds: Int32) -> Bool {
        var wait = pollfd(fd: channel, events: Int16(POLLIN), revents: 0)
        guard poll(&wait, 1, milliseconds) > 0 else { return false }
        var byte = UInt8(0)
        let count = recv(channel, &byte, 1, Int32(MSG_DONTWAIT))
        return count == 0 || (count < 0 && errno != EAGAIN && errno != EINTR)
    }
}
