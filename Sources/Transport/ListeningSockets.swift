import Glibc

/// The listening sockets of a server, by shard: bound anew, or taken over from another process.
///
/// While no process accepts, new connections wait in a socket's queue. So no client is refused when sockets are taken
/// over.
public struct ListeningSockets: Sendable {
    var perShard: [[ListeningSocket]]
    /// The addresses; the port is the real one when 0 was asked for.
    let addresses: [ListenAddress]
    /// The files of Unix sockets that this process has to remove.
    let files: [String]
    /// Addresses of inherited sockets that no wanted address names. These sockets were closed.
    public let unwanted: [ListenAddress]

    /// Binds the wanted addresses that were not inherited. Throws when one cannot be bound, and closes all sockets
    /// then.
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
        for (listener, address) in wanted.enumerated() {
            if let (actual, descriptors) = inherited.take(address) {
                spread(descriptors, of: actual, listener, over: &sockets)
                bound.append(actual)
                continue
            }
            switch address {
            case .tcp(let ip, var port):
                // Sockets that share a port would also share it with another server, and each would get a part of the
                // connections.
                try ListeningSocket.tcp(ip, port, shared: false).close()
                for index in sockets.indices {
                    var socket = try ListeningSocket.tcp(ip, port, shared: true)
                    socket.listener = listener
                    port = socket.port
                    sockets[index].append(socket)
                }
                bound.append(.tcp(ip, port: port))
            case .unix(let path):
                // One socket. The first shard deals out its connections, because the kernel does not share such a
                // socket.
                var socket = try ListeningSocket.unix(path)
                socket.listener = listener
                sockets[0].append(socket)
                bound.append(address)
            }
        }
        return bound
    }

    /// All inherited sockets are used: to close one would reset the connections in its queue. When there are fewer
    /// sockets than shards, connections are dealt out.
    private static func spread(
        _ descriptors: [Int32], of address: ListenAddress, _ listener: Int, over sockets: inout [[ListeningSocket]]
    ) {
        let dealsOut = descriptors.count < sockets.count
        let port: UInt16 = if case .tcp(_, let port) = address { port } else { 0 }
        for (index, descriptor) in descriptors.enumerated() {
            sockets[index % sockets.count].append(
                ListeningSocket(fd: descriptor, port: port, dealsOut: dealsOut, listener: listener))
        }
    }
}
