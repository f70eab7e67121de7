import Glibc
import Transport

/// Where other devices of the same network reach a server.
enum NetworkAddresses {
    /// The origins of pages, such as `http://192.168.1.20:8080`, for what the server listens on.
    static func origins(_ listens: [ListenAddress], usesTLS: Bool, of machine: [String] = privateOnes()) -> [String] {
        var origins: [String] = []
        for case .tcp(let address, let port) in listens where port != 0 && !address.isLoopback {
            let text = "\(address)"
            let hosts = text == "0.0.0.0" || text == "::" ? machine : [text].filter(isPrivate)
            origins += hosts.map { "\(usesTLS ? "https" : "http")://\($0):\(port)" }
        }
        return origins.reduce(into: []) { if !$0.contains($1) { $0.append($1) } }
    }

    /// IPv4 addresses of private networks alone: others are not those of a phone beside the computer.
    static func isPrivate(_ address: String) -> Bool {
        let parts = address.split(separator: ".", omittingEmptySubsequences: false).compactMap { UInt8($0) }
        guard parts.count == 4 else { return false }
        return parts[0] == 10 || (parts[0] == 192 && parts[1] == 168) || (parts[0] == 172 && parts[1] & 0xf0 == 16)
    }

    /// The private addresses of this machine.
    static func privateOnes() -> [String] {
        var list: UnsafeMutablePointer<ifaddrs>?
        guard getifaddrs(&list) == 0 else { return [] }
        defer { freeifaddrs(list) }
        var addresses: [String] = []
        var next = list
        while let interface = next?.pointee {
            next = interface.ifa_next
            guard let socketAddress = interface.ifa_addr, socketAddress.pointee.sa_family == sa_family_t(AF_INET) else {
                continue
            }
            var number = socketAddress.withMemoryRebound(to: sockaddr_in.self, capacity: 1) { $0.pointee.sin_addr }
            var text = [CChar](repeating: 0, count: Int(INET_ADDRSTRLEN))
            guard inet_ntop(AF_INET, &number, &text, socklen_t(INET_ADDRSTRLEN)) != nil else { continue }
            let address = String(decoding: text.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
            if isPrivate(address) { addresses.append(address) }
        }
        return addresses
    }
}
