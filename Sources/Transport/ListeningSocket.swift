import Glibc

/// A bound, listening, non-blocking socket.
struct ListeningSocket {
    let fd: Int32
    let port: UInt16
    let dealsOut: Bool
    /// The index of its address among those of the server.
    var listener = 0

    func close() {
        Glibc.close(fd)
    }

    static func tcp(_ address: IPAddress, _ port: UInt16, shared: Bool) throws(TransportError) -> ListeningSocket {
        var storage = sockaddr_storage()
        let length: socklen_t
        switch address {
        case .v4(let bits):
            var v4 = sockaddr_in()
            v4.sin_family = sa_family_t(AF_INET)
            v4.sin_port = port.bigEndian
            v4.sin_addr.s_addr = bits.bigEndian
            length = socklen_t(MemoryLayout<sockaddr_in>.size)
            withUnsafeMutableBytes(of: &storage) { $0.storeBytes(of: v4, as: sockaddr_in.self) }
        case .v6:
            var v6 = sockaddr_in6()
            v6.sin6_family = sa_family_t(AF_INET6)
            v6.sin6_port = port.bigEndian
            v6.sin6_addr = address.in6
            length = socklen_t(MemoryLayout<sockaddr_in6>.size)
            withUnsafeMutableBytes(of: &storage) { $0.storeBytes(of: v6, as: sockaddr_in6.self) }
        }
        let family = address.isIPv6 ? AF_INET6 : AF_INET
        let name = ListenAddress.tcp(address, port: port).description
        let fd = socket(family, Int32(SOCK_STREAM.rawValue | SOCK_NONBLOCK.rawValue | SOCK_CLOEXEC.rawValue), 0)
        guard fd >= 0 else { throw failure(name) }
        var on: Int32 = 1
        setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, socklen_t(MemoryLayout<Int32>.size))
        if shared { setsockopt(fd, SOL_SOCKET, SO_REUSEPORT, &on, socklen_t(MemoryLayout<Int32>.size)) }
        if address.isIPv6 {
            // `[::]` accepts IPv4 too, whatever the system's default.
            var off: Int32 = 0
            setsockopt(fd, Int32(IPPROTO_IPV6), IPV6_V6ONLY, &off, socklen_t(MemoryLayout<Int32>.size))
        }
        let status = withUnsafePointer(to: &storage) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { Glibc.bind(fd, $0, length) }
        }
        guard status == 0, !shared || listen(fd, Listener.backlog) == 0 else {
            let error = failure(name)
            Glibc.close(fd)
            throw error
        }
        var bound = sockaddr_storage()
        var boundLength = socklen_t(MemoryLayout<sockaddr_storage>.size)
        _ = withUnsafeMutablePointer(to: &bound) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { getsockname(fd, $0, &boundLength) }
        }
        return ListeningSocket(fd: fd, port: PeerAddress(bound).port, dealsOut: false)
    }

    static func unix(_ path: String) throws(TransportError) -> ListeningSocket {
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        let bytes = Array(path.utf8)
        guard bytes.count < MemoryLayout.size(ofValue: address.sun_path), !bytes.isEmpty else {
            throw TransportError(description: "\(path): the path of a Unix socket has 1 to 107 bytes")
        }
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: bytes) }
        let fd = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_NONBLOCK.rawValue | SOCK_CLOEXEC.rawValue), 0)
        guard fd >= 0 else { throw failure(path) }
        func withAddress(_ body: (UnsafePointer<sockaddr>, socklen_t) -> Int32) -> Int32 {
            withUnsafePointer(to: &address) {
                $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                    body($0, socklen_t(MemoryLayout<sockaddr_un>.size))
                }
            }
        }
        // The socket of a dead server is removed. A socket that answers, or a file, belongs to another program.
        var status = stat()
        let isSocket = lstat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFSOCK
        let probe = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_NONBLOCK.rawValue | SOCK_CLOEXEC.rawValue), 0)
        if isSocket, probe >= 0 {
            if withAddress({ connect(probe, $0, $1) }) == -1, errno == ECONNREFUSED { unlink(path) }
        }
        if probe >= 0 { Glibc.close(probe) }
        guard withAddress({ Glibc.bind(fd, $0, $1) }) == 0, listen(fd, Listener.backlog) == 0 else {
            let error = failure(path)
            Glibc.close(fd)
            throw error
        }
        return ListeningSocket(fd: fd, port: 0, dealsOut: true)
    }

    private static func failure(_ name: String) -> TransportError {
        TransportError(description: "cannot listen on \(name): \(String(cString: strerror(errno)))")
    }
}
