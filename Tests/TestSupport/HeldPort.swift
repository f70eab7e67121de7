import Glibc

/// Keeps a port of the loopback address for a server that comes back to it. Nobody listens there meanwhile, and no other program
/// gets the port.
package struct HeldPort {
    private let socket: Int32

    /// - Parameter port: of a server of this process that still listens there.
    package init(_ port: UInt16) throws {
        socket = Glibc.socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        var on: Int32 = 1
        for option in [SO_REUSEADDR, SO_REUSEPORT] {
            setsockopt(socket, SOL_SOCKET, option, &on, socklen_t(MemoryLayout<Int32>.size))
        }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        let status = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(socket, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        guard status == 0 else { throw Taken(port: port, errno: errno) }
    }

    package func close() { Glibc.close(socket) }

    struct Taken: Error {
        let port: UInt16
        let errno: Int32
    }
}
