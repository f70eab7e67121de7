import Glibc

/// Reports the state of this process to the service manager, in datagrams to the socket that `NOTIFY_SOCKET` names.
/// systemd expects this of services of type notify. Without the variable nothing is sent.
struct ServiceManager: Sendable {
    private let socketPath: String?
    /// How often the service manager expects a sign of life; nil when it expects none.
    let watchdogMilliseconds: Int?

    init(_ environment: [String: String]) {
        socketPath = environment["NOTIFY_SOCKET"].flatMap { $0.isEmpty ? nil : $0 }
        watchdogMilliseconds = Self.watchdog(environment)
    }

    private static func watchdog(_ environment: [String: String]) -> Int? {
        guard let microseconds = environment["WATCHDOG_USEC"].flatMap(Int.init), microseconds >= 1_000 else {
            return nil
        }
        if let process = environment["WATCHDOG_PID"], process != "\(getpid())" { return nil }
        return microseconds / 1_000
    }

    func ready(_ status: String) { tell("READY=1\nSTATUS=\(status)") }

    func stopping(_ status: String) { tell("STOPPING=1\nSTATUS=\(status)") }

    /// Followed by `ready` when it is done.
    func reloading() {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        tell("RELOADING=1\nMONOTONIC_USEC=\(time.tv_sec * 1_000_000 + time.tv_nsec / 1_000)")
    }

    func works() { tell("WATCHDOG=1") }

    /// Another process is the service from now on. This one must send nothing more.
    func isContinued(by process: pid_t) { tell("MAINPID=\(process)\nSTATUS=handed over to process \(process)") }

    /// A datagram that cannot be sent is dropped: the service manager notices that it is missing.
    private func tell(_ text: String) {
        guard let path = socketPath, path.hasPrefix("/") || path.hasPrefix("@") else { return }
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        var bytes = Array(path.utf8)
        guard bytes.count < MemoryLayout.size(ofValue: address.sun_path) else { return }
        // The name of an abstract socket begins with a zero byte.
        if bytes[0] == UInt8(ascii: "@") { bytes[0] = 0 }
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: bytes) }
        let descriptor = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        guard descriptor >= 0 else { return }
        defer { close(descriptor) }
        let length = socklen_t((MemoryLayout<sockaddr_un>.offset(of: \.sun_path) ?? 2) + bytes.count)
        let message = Array(text.utf8)
        _ = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                sendto(descriptor, message, message.count, Int32(MSG_NOSIGNAL) | Int32(MSG_DONTWAIT), $0, length)
            }
        }
    }
}
