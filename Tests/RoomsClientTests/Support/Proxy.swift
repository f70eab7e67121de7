import Glibc
import Synchronization
import Testing
import Threads

@testable import RoomsClient

/// Stands between clients and a server, cuts connections, refuses them, and may change what the server says.
final class Proxy: Sendable {
    /// What of the server's bytes gets to the client.
    typealias Rewriting = @Sendable ([UInt8]) -> [UInt8]

    private struct State {
        var connections: [Int32] = []
        var isRefusing = false
        var target = 0
        var isClosed = false
        var acceptedCount = 0
    }

    let port: Int
    private let listener: Int32
    private let makeRewriting: @Sendable () -> Rewriting
    private let state = Locked(State())

    /// - Parameter makeRewriting: called for each connection.
    init(to target: Int, rewriting makeRewriting: @escaping @Sendable () -> Rewriting = { { $0 } }) throws {
        state.withLock { $0.target = target }
        self.makeRewriting = makeRewriting
        let fd = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        var address = Self.loopback(0)
        let size = socklen_t(MemoryLayout<sockaddr_in>.size)
        var length = size
        let status = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                bind(fd, address, size) == 0 && listen(fd, 128) == 0
                    && getsockname(fd, address, &length) == 0
            }
        }
        try #require(status, "no port for the proxy")
        listener = fd
        port = Int(UInt16(bigEndian: address.sin_port))
        Thread.start { [self] in acceptAll() }
    }

    var url: String { "ws://127.0.0.1:\(port)" }
    var acceptedCount: Int { state.withLock { $0.acceptedCount } }

    private static func loopback(_ port: Int) -> sockaddr_in {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = UInt16(port).bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        return address
    }

    /// Ends all connections at once.
    func cut() {
        // Under the lock: a number that was closed may already be that of another connection.
        state.withLock { state in
            for fd in state.connections { shutdown(fd, Int32(SHUT_RDWR)) }
        }
    }

    /// From here on connections end as soon as they begin.
    func setRefusing(_ isRefusing: Bool) {
        state.withLock { $0.isRefusing = isRefusing }
    }

    /// Leads the connections from here on to another server.
    func lead(to target: Int) {
        state.withLock { $0.target = target }
    }

    func close() {
        state.withLock { $0.isClosed = true }
        shutdown(listener, Int32(SHUT_RDWR))
        cut()
    }

    private func acceptAll() {
        while true {
            let client = accept(listener, nil, nil)
            let isClosed = state.withLock { $0.isClosed }
            guard client >= 0, !isClosed else {
                if client >= 0 { Glibc.close(client) }
                Glibc.close(listener)
                return
            }
            if state.withLock({ $0.isRefusing }) {
                Glibc.close(client)
                continue
            }
            let server = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
            var address = Self.loopback(state.withLock { $0.target })
            let isConnected = withUnsafePointer(to: &address) { pointer in
                pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                    connect(server, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
                }
            }
            guard isConnected else {
                Glibc.close(client)
                Glibc.close(server)
                continue
            }
            state.withLock { state in
                state.connections += [client, server]
                state.acceptedCount += 1
            }
            let rewriting = makeRewriting()
            let ends = Locked(2)
            Thread.start { [self] in pump(client, server, ends) { $0 } }
            Thread.start { [self] in pump(server, client, ends, rewriting) }
        }
    }

    private func pump(_ from: Int32, _ to: Int32, _ ends: Locked<Int>, _ rewrite: Rewriting) {
        var buffer = [UInt8](repeating: 0, count: 64 * 1024)
        while true {
            let count = recv(from, &buffer, buffer.count, 0)
            guard count > 0 else { break }
            let bytes = rewrite(Array(buffer[..<count]))
            var sent = 0
            while sent < bytes.count {
                let taken = bytes.withUnsafeBytes { bytes in
                    send(to, bytes.baseAddress.map { $0 + sent }, bytes.count - sent, Int32(MSG_NOSIGNAL))
                }
                guard taken > 0 else { break }
                sent += taken
            }
        }
        shutdown(to, Int32(SHUT_RDWR))
        shutdown(from, Int32(SHUT_RDWR))
        let isLast = ends.withLock { ends in
            ends -= 1
            return ends == 0
        }
        guard isLast else { return }
        state.withLock { state in
            state.connections.removeAll { $0 == from || $0 == to }
            Glibc.close(from)
            Glibc.close(to)
        }
    }
}

/// Threads that may block.
enum Thread {
    private final class Body: Sendable {
        let run: @Sendable () -> Void
        init(_ run: @escaping @Sendable () -> Void) { self.run = run }
    }

    static func start(_ run: @escaping @Sendable () -> Void) {
        var thread = pthread_t()
        let body = Unmanaged.passRetained(Body(run))
        let main: @convention(c) (UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? = { context in
            if let context { Unmanaged<Body>.fromOpaque(context).takeRetainedValue().run() }
            return nil
        }
        if pthread_create(&thread, nil, main, body.toOpaque()) == 0 { pthread_detach(thread) } else { body.release() }
    }
}
