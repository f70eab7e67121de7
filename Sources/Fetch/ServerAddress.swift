import Glibc
import Threads

/// An address to connect to.
struct ServerAddress: Sendable {
    let storage: sockaddr_storage
    let length: socklen_t

    var family: Int32 { Int32(storage.ss_family) }

    /// Where a name leads: at most a few addresses, in the resolver's order.
    ///
    /// The resolver knows no deadline, so it works on a thread of its own, which is left behind when it is late. It
    /// ends by itself, after the time-outs of `resolv.conf`.
    static func find(host: String, port: Int, deadline: Int64) throws(FetchFault) -> [ServerAddress] {
        let found = Monitor<Result<[ServerAddress], FetchFault>?>(nil)
        let isStarted = SystemThread.detach {
            let result = resolve(host, port)
            found.withLock { $0 = result }
            found.notify()
        }
        guard isStarted else { throw FetchFault("no thread could be started to look up the server's name") }
        let result: Result<[ServerAddress], FetchFault> = found.wait { result in
            if let result { return .done(result) }
            let late = FetchFault("looking up the server's name took too long")
            return Clock.milliseconds() < deadline ? .again(at: deadline) : .done(.failure(late))
        }
        return try result.get()
    }

    private static let addressesMax = 4

    private static func resolve(_ host: String, _ port: Int) -> Result<[ServerAddress], FetchFault> {
        var hints = addrinfo()
        hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
        hints.ai_flags = AI_NUMERICSERV
        var list: UnsafeMutablePointer<addrinfo>?
        let status = getaddrinfo(host, "\(port)", &hints, &list)
        guard status == 0 else {
            return .failure(FetchFault("the server's name leads nowhere: \(String(cString: gai_strerror(status)))"))
        }
        defer { freeaddrinfo(list) }
        var addresses: [ServerAddress] = []
        var next = list
        while let entry = next?.pointee, addresses.count < addressesMax {
            if let address = ServerAddress(entry) { addresses.append(address) }
            next = entry.ai_next
        }
        return addresses.isEmpty ? .failure(FetchFault("the server's name leads nowhere")) : .success(addresses)
    }

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

    /// Whether it cannot leave this machine.
    var isLoopback: Bool {
        var storage = storage
        return withUnsafeBytes(of: &storage) { bytes in
            switch family {
            case AF_INET: bytes.load(as: sockaddr_in.self).sin_addr.s_addr.bigEndian >> 24 == 127
            case AF_INET6:
                withUnsafeBytes(of: bytes.load(as: sockaddr_in6.self).sin6_addr) {
                    $0.dropLast().allSatisfy { $0 == 0 } && $0.last == 1
                }
            default: false
            }
        }
    }
}
