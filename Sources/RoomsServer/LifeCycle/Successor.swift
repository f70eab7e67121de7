import CSpawn
import Glibc

/// The process that takes over this one's sockets and data: the program that is on disk now, with the same arguments.
struct Successor {
    enum State: Equatable {
        case preparing
        /// It has read its configuration and has the sockets, and waits until it may take over.
        case prepared
        case ended(String)
    }

    /// A successor that takes longer than this to prepare has failed.
    static let preparingMillisecondsMax = 30_000

    let process: pid_t
    private let channel: Int32

    /// Nil when it could not be started; `fault` says why.
    init?(
        sockets: [Int32], keepsFiles: Bool, environment: [String: String],
        arguments: [String] = CommandLine.arguments, fault: inout String
    ) {
        var ends: [Int32] = [-1, -1]
        guard socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0, &ends) == 0 else {
            fault = String(cString: strerror(errno))
            return nil
        }
        defer { close(ends[1]) }
        let variables = Self.environment(environment, sockets.count, keepsFiles: keepsFiles)
        let descriptors = sockets + [ends[1]]
        var words: [UnsafeMutablePointer<CChar>?] = arguments.map { strdup($0) } + [nil]
        var pairs: [UnsafeMutablePointer<CChar>?] = variables.map { strdup("\($0.key)=\($0.value)") } + [nil]
        defer {
            for word in words { free(word) }
            for pair in pairs { free(pair) }
        }
        let started = rooms_spawn_successor(words[0], &words, &pairs, descriptors, descriptors.count)
        guard started > 0 else {
            fault = "\(arguments.first ?? ""): \(String(cString: strerror(-started)))"
            close(ends[0])
            return nil
        }
        process = started
        channel = ends[0]
    }

    /// The environment of the successor: without the variables that describe this process alone.
    private static func environment(
        _ environment: [String: String], _ count: Int, keepsFiles: Bool
    ) -> [String: String] {
        var variables = environment
        for name in ["LISTEN_FDS", "LISTEN_PID", "LISTEN_FDNAMES", "WATCHDOG_PID"] { variables[name] = nil }
        variables[Inheritance.variable] = keepsFiles ? "\(count):keep" : "\(count)"
        return variables
    }

    /// The successor's state, after at most so many milliseconds.
    func state(afterMilliseconds milliseconds: Int32) -> State {
        var wait = pollfd(fd: channel, events: Int16(POLLIN), revents: 0)
        guard poll(&wait, 1, milliseconds) > 0 else { return .preparing }
        var byte = UInt8(0)
        let count = recv(channel, &byte, 1, Int32(MSG_DONTWAIT))
        if count > 0 { return .prepared }
        if count < 0, errno == EAGAIN || errno == EINTR { return .preparing }
        return .ended(reap())
    }

    /// Ends it.
    func cancel() {
        kill(process, SIGKILL)
        _ = reap()
    }

    private func reap() -> String {
        var status: Int32 = 0
        while waitpid(process, &status, 0) < 0, errno == EINTR {}
        let signal = status & 0x7f
        return signal == 0 ? "it ended with \(status >> 8 & 0xff)" : "it was ended by signal \(signal)"
    }

    /// Tells the successor that it may take over.
    func release() {
        close(channel)
    }
}
