import Glibc

/// An address to connect to.
struct SocketAddress: Sendable {
    private let storage: sockaddr_storage
    private let length: socklen_t

    var family: Int32 { Int32(storage.ss_family) }

    /// The addresses of a host, in the resolver's order. Blocks, unless the host is an address itself.
    static func find(_ host: String, _ port: Int, onlyNumeric: Bool) -> Result<[SocketAddress], ClientError> {
        var hints = addrinfo()
        hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
        hints.ai_flags = AI_NUMERICSERV | (onlyNumeric ? AI_NUMERICHOST : 0)
        var list: UnsafeMutablePointer<addrinfo>?
        let status = getaddrinfo(host, "\(port)", &hints, &list)
        guard status == 0 else {
            return .failure(.cannotConnect("\(host) leads nowhere: \(String(cString: gai_strerror(status)))"))
        }
        defer { freeaddrinfo(list) }
        var addresses: [SocketAddress] = []
        var next = list
        while let entry = next?.pointee, addresses.count < addressesMax {
            if let address = SocketAddress(entry) { addresses.append(address) }
            next = entry.ai_next
        }
        return addresses.isEmpty ? .failure(.cannotConnect("\(host) leads nowhere")) : .success(addresses)
    }

    private static let addressesMax = 8

    private init?(_ entry: addrinfo) {
        guard let address = entry.ai_addr, Int(entry.ai_addrlen) <= MemoryLayout<sockaddr_storage>.size else {
            return nil
        }
        var storage = sockaddr_storage()
        withUnsafeMutableBytes(of: &storage) {
            $0.copyMemory(from: UnsafeRawBufferPointer(start: address, count: Int(entry.ai_addrlen)))
        }
        self.storage = storage
        length = entry.ai_addrlen
    }

    /// Begins to connect. Nil with `errno` set where that fails at once.
    func beginConnecting() -> Int32? {
        let fd = socket(family, Int32(SOCK_STREAM.rawValue | SOCK_NONBLOCK.rawValue | SOCK_CLOEXEC.rawValue), 0)
        guard fd >= 0 else { return nil }
        var on: Int32 = 1
        setsockopt(fd, Int32(IPPROTO_TCP), TCP_NODELAY, &on, socklen_t(MemoryLayout<Int32>.size))
        var storage = storage
        let status = withUnsafeBytes(of: &storage) { bytes in
            bytes.baseAddress.map { connect(fd, $0.assumingMemoryBound(to: sockaddr.self), length) } ?? -1
        }
        if status == 0 || errno == EINPROGRESS { return fd }
        let error = errno
        close(fd)
        errno = error
        return nil
    }
}
