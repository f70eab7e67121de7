import Glibc
import Threads

/// Bytes to and from a server.
protocol FetchConnection: AnyObject {
    /// By when whatever is under way has to end.
    var deadline: Int64 { get set }

    func send(_ bytes: UnsafeRawBufferPointer) throws(FetchFault)

    /// How many bytes came, at least one; zero when the server has said that no more will.
    func receive(into buffer: UnsafeMutableRawBufferPointer) throws(FetchFault) -> Int
}

/// A TCP connection whose every step ends by a deadline.
final class ClientSocket: FetchConnection {
    private let fd: Int32
    var deadline: Int64

    /// Connects to the first address that answers; each has its share of the time that is left.
    static func connect(to addresses: [ServerAddress], deadline: Int64) throws(FetchFault) -> ClientSocket {
        var fault = FetchFault("the server has no address")
        for (index, address) in addresses.enumerated() {
            let left = deadline - Clock.milliseconds()
            let share = deadline - left + left / Int64(addresses.count - index)
            do throws(FetchFault) {
                return try ClientSocket(address, connectUntil: share, deadline: deadline)
            } catch {
                fault = error
            }
        }
        throw fault
    }

    private init(_ address: ServerAddress, connectUntil: Int64, deadline: Int64) throws(FetchFault) {
        let type = Int32(SOCK_STREAM.rawValue | SOCK_NONBLOCK.rawValue | SOCK_CLOEXEC.rawValue)
        fd = socket(address.family, type, 0)
        self.deadline = deadline
        guard fd >= 0 else { throw Self.failure("no socket", errno) }
        var storage = address.storage
        let status = withUnsafePointer(to: &storage) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { Glibc.connect(fd, $0, address.length) }
        }
        if status == 0 { return }
        guard errno == EINPROGRESS else { throw Self.failure("the server cannot be reached", errno) }
        try wait(for: POLLOUT, until: connectUntil)
        var code: Int32 = 0
        var length = socklen_t(MemoryLayout<Int32>.size)
        getsockopt(fd, SOL_SOCKET, SO_ERROR, &code, &length)
        guard code == 0 else { throw Self.failure("the server cannot be reached", code) }
    }

    deinit {
        if fd >= 0 { close(fd) }
    }

    func send(_ bytes: UnsafeRawBufferPointer) throws(FetchFault) {
        var rest = bytes
        while !rest.isEmpty {
            let count = Glibc.send(fd, rest.baseAddress, rest.count, Int32(MSG_NOSIGNAL))
            if count > 0 {
                rest = UnsafeRawBufferPointer(rebasing: rest[count...])
            } else if errno == EAGAIN {
                try wait(for: POLLOUT, until: deadline)
            } else if errno != EINTR {
                throw Self.failure("the server ended the connection", errno)
            }
        }
    }

    func receive(into buffer: UnsafeMutableRawBufferPointer) throws(FetchFault) -> Int {
        while true {
            // Also looked at while bytes keep coming one by one.
            try wait(for: POLLIN, until: deadline)
            let count = recv(fd, buffer.baseAddress, buffer.count, 0)
            if count >= 0 { return count }
            guard errno == EAGAIN || errno == EINTR else {
                throw Self.failure("the server ended the connection", errno)
            }
        }
    }

    private func wait(for event: Int32, until time: Int64) throws(FetchFault) {
        while true {
            let left = time - Clock.milliseconds()
            guard left > 0 else { throw FetchFault("the server took too long") }
            var descriptor = pollfd(fd: fd, events: Int16(event), revents: 0)
            let count = poll(&descriptor, 1, Int32(clamping: left))
            if count > 0 { return }
            guard count == 0 || errno == EINTR else { throw Self.failure("the socket failed", errno) }
        }
    }

    private static func failure(_ what: String, _ code: Int32) -> FetchFault {
        FetchFault("\(what): \(String(cString: strerror(code)))")
    }
}
