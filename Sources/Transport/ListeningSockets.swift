import Glibc

/// The sockets that a server listens on, by shard: bound anew, or taken over from the process that had them before.
///
/// Whoever connects while nobody accepts waits in a socket's queue, so that a socket that is taken over refuses nobody.
public struct ListeningSockets: Sendable {
    var perShard: [[ListeningSocket]]
    /// Where they listen; the port is the real one when 0 was asked for.
    let addresses: [ListenAddress]
    /// The files of Unix sockets, which are this process's to remove.
    let files: [String]
    /// Addresses of inherited sockets that no wanted address names. These sockets were closed.
    public let unwanted: [ListenAddress]

    /// Binds what is wanted and not inherited. Throws when an address cannot be had, and closes all then.
    public init(
        _ wanted: [ListenAddress], shardCount: Int, inherited: InheritedSockets = InheritedSockets()
    ) throws(TransportError) {
        var sockets: [[ListeningSocket]] = Array(repeating: [], count: max(shardCount, 1))
        var inherited = inherited
        do throws(TransportError) {
            addresses = try Self.bind(wanted, &inherited, into: &sockets)
        } catch {
            for socket in sockets.joined() { socket.close() }
            inherited.close()
            throw error
        }
        perShard = sockets
        files = addresses.compactMap { address in
            guard case .unix(let path) = address, !inherited.keptFiles.contains(path) else { return nil }
            return path
        }
        unwanted = inherited.addresses
        inherited.close()
    }

    func close() {
        for socket in perShard.joined() { socket.close() }
    }

    private static func bind(
        _ wanted: [ListenAddress], _ inherited: inout InheritedSockets, into sockets: inout [[ListeningSocket]]
    ) throws(TransportError) -> [ListenAddress] {
        var bound: [ListenAddress] = []
        for address in wanted {
            if let (actual, descriptors) = inherited.take(address) {
                spread(descriptors, of: actual, over: &sockets)
                bound.append(actual)
                continue
            }
            switch address {
            case .tcp(let ip, var port):
                // Sockets that share a port would also share it with another server's, each getting a part.
                try ListeningSocket.tcp(ip, port, shared: false).close()
                for index in sockets.indices {
                    let socket = try ListeningSocket.tcp(ip, port, shared: true)
                    port = socket.port
                    sockets[index].append(socket)
                }
                bound.append(.tcp(ip, port: port))
            case .unix(let path):
                // One socket, whose connections the first shard deals out: the kernel does not share these.
                sockets[0].append(try ListeningSocket.unix(path))
                bound.append(address)
            }
        }
        return bound
    }

    /// All of them are used, however many there are: to close one would reset who waits in its queue. Where they do not
    /// reach for a socket a shard, connections are dealt out.
    private static func spread(
        _ descriptors: [Int32], of address: ListenAddress, over sockets: inout [[ListeningSocket]]
    ) {
        let dealsOut = descriptors.count < sockets.count
        let port: UInt16 = if case .tcp(_, let port) = address { port } else { 0 }
        for (index, descriptor) in descriptors.enumerated() {
            sockets[index % sockets.count].append(ListeningSocket(fd: descriptor, port: port, dealsOut: dealsOut))
        }
    }
}
