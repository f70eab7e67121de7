import Glibc
import TestSupport
import Wire

/// What went wrong between a test and its server.
struct TestFailure: Error, CustomStringConvertible {
    let description: String
}

/// A TCP connection to a server under test. Everything blocks, and nothing for longer than `patienceMilliseconds`.
final class TestConnection: @unchecked Sendable {
    static let patienceMilliseconds = 20_000

    private let fd: Int32
    private var isClosed = false
    private(set) var buffer: [UInt8] = []

    init(port: UInt16, receiveBufferBytes: Int? = nil) throws {
        fd = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        if let receiveBufferBytes {
            var size = Int32(receiveBufferBytes)
            setsockopt(fd, SOL_SOCKET, SO_RCVBUF, &size, socklen_t(MemoryLayout<Int32>.size))
        }
        var on: Int32 = 1
        setsockopt(fd, Int32(IPPROTO_TCP), TCP_NODELAY, &on, socklen_t(MemoryLayout<Int32>.size))
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
        let status = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(fd, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        guard status == 0 else {
            Glibc.close(fd)
            isClosed = true
            throw TestFailure(description: "no connection: \(String(cString: strerror(errno)))")
        }
    }

    deinit {
        close()
    }

    func close() {
        guard !isClosed else { return }
        isClosed = true
        Glibc.close(fd)
    }

    /// Ends the connection without a farewell.
    func reset() {
        var now = linger(l_onoff: 1, l_linger: 0)
        setsockopt(fd, SOL_SOCKET, SO_LINGER, &now, socklen_t(MemoryLayout<linger>.size))
        close()
    }

    func write(_ bytes: [UInt8]) throws {
        var offset = 0
        while offset < bytes.count {
            let count = bytes.withUnsafeBytes {
                send(fd, $0.baseAddress.map { $0 + offset }, bytes.count - offset, Int32(MSG_NOSIGNAL))
            }
            guard count > 0 else { throw TestFailure(description: "not written: \(String(cString: strerror(errno)))") }
            offset += count
        }
    }

    func write(_ text: String) throws {
        try write(Array(text.utf8))
    }

    /// The head of the next response; nil when the connection ends.
    func readHead() throws -> HTTPResponse? {
        try HTTPResponse.head(from: &buffer) { try receive(into: &$0, within: Self.patienceMilliseconds) }
    }

    /// Waits for more bytes in `buffer`. False: there will be none.
    func receive(within milliseconds: Int = patienceMilliseconds) throws -> Bool {
        try receive(into: &buffer, within: milliseconds)
    }

    private func receive(into buffer: inout [UInt8], within milliseconds: Int) throws -> Bool {
        var descriptor = pollfd(fd: fd, events: Int16(POLLIN), revents: 0)
        guard poll(&descriptor, 1, Int32(milliseconds)) > 0 else { throw TestFailure(description: "nothing came") }
        var piece = [UInt8](repeating: 0, count: 64 << 10)
        let count = recv(fd, &piece, piece.count, 0)
        guard count > 0 else { return false }
        buffer.append(contentsOf: piece[..<count])
        return true
    }

    /// Whether bytes come, or the end, within a short time.
    func isReadable(within milliseconds: Int) -> Bool {
        var descriptor = pollfd(fd: fd, events: Int16(POLLIN), revents: 0)
        return !buffer.isEmpty || poll(&descriptor, 1, Int32(milliseconds)) > 0
    }

    func take(_ count: Int) -> [UInt8] {
        let taken = Array(buffer.prefix(count))
        buffer.removeFirst(taken.count)
        return taken
    }

    func takeAll() -> [UInt8] {
        take(buffer.count)
    }
}
