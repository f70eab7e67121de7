import CLibWebSockets
import Glibc

/// Listening sockets that this process was started with.
public struct InheritedSockets: Sendable {
    private var sockets: [(address: ListenAddress, descriptor: Int32)] = []
    private let keepsFiles: Bool
    /// The files of Unix sockets that this process must not remove.
    private(set) var keptFiles: Set<String> = []

    public init() {
        keepsFiles = true
    }

    /// Takes over open descriptors. Throws when one of them is not a listening socket of a usable kind.
    ///
    /// - Parameter keepsFiles: the files of Unix sockets belong to the process that passed the sockets, such as
    ///   systemd.
    public init(_ descriptors: Range<Int32>, keepsFiles: Bool) throws(TransportError) {
        self.keepsFiles = keepsFiles
        for descriptor in descriptors {
            guard let address = Self.address(of: descriptor) else {
                throw TransportError(description: "descriptor \(descriptor) was passed on and is no listening socket")
            }
            _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
            _ = fcntl(descriptor, F_SETFL, fcntl(descriptor, F_GETFL) | O_NONBLOCK)
            sockets.append((address, descriptor))
        }
    }

    public var isEmpty: Bool { sockets.isEmpty }

    /// The addresses that were not taken yet, each once.
    var addresses: [ListenAddress] {
        var seen: Set<ListenAddress> = []
        return sockets.map(\.address).filter { seen.insert($0).inserted }
    }

    /// All sockets of an address, with the port that they have; port 0 is any.
    mutating func take(_ wanted: ListenAddress) -> (ListenAddress, [Int32])? {
        let first = sockets.first { socket in
            guard case .tcp(let ip, port: 0) = wanted, case .tcp(ip, _) = socket.address else {
                return socket.address == wanted
            }
            return true
        }
        guard let actual = first?.address else { return nil }
        let descriptors = sockets.filter { $0.address == actual }.map(\.descriptor)
        sockets.removeAll { $0.address == actual }
        if keepsFiles, case .unix(let path) = actual { keptFiles.insert(path) }
        return (actual, descriptors)
    }

    mutating func close() {
        for socket in sockets { Glibc.close(socket.descriptor) }
        sockets = []
    }

    private static func address(of descriptor: Int32) -> ListenAddress? {
        var isListening: Int32 = 0
        var length = socklen_t(MemoryLayout<Int32>.size)
        guard getsockopt(descriptor, SOL_SOCKET, SO_ACCEPTCONN, &isListening, &length) == 0, isListening == 1 else {
            return nil
        }
        var storage = sockaddr_storage()
        var size = socklen_t(MemoryLayout<sockaddr_storage>.size)
        let status = withUnsafeMutablePointer(to: &storage) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { getsockname(descriptor, $0, &size) }
        }
        guard status == 0 else { return nil }
        let peer = PeerAddress(storage)
        if let ip = peer.address { return .tcp(ip, port: peer.port) }
        guard storage.ss_family == sa_family_t(AF_UNIX) else { return nil }
        return unixPath(&storage).map { .unix(path: $0) }
    }

    private static func unixPath(_ storage: inout sockaddr_storage) -> String? {
        withUnsafeBytes(of: &storage) { bytes in
            let path = bytes.dropFirst(MemoryLayout<sockaddr_un>.offset(of: \.sun_path) ?? 2).prefix { $0 != 0 }
            return path.isEmpty ? nil : String(decoding: path, as: UTF8.self)
        }
    }
}
