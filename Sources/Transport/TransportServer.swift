import CLibWebSockets
import Glibc

/// The event loops of a server with everything they listen on. Made, used and stopped from any thread.
public final class TransportServer: Sendable {
    public typealias MakeService = @Sendable (Shard) -> any HTTPService

    public let state: ServerState
    public let mailboxes: [ShardMailbox]
    /// Where it listens; the port is the real one when 0 was asked for.
    public let addresses: [ListenAddress]
    private let threads: Locked<[pthread_t]>
    /// The files of Unix sockets that are still ours to remove.
    private let socketFiles: Locked<[String]>
    private let tlsFiles: TLSFiles?

    public var isSecure: Bool { tlsFiles != nil }

    /// Binds, starts the threads and begins to accept. Throws when an address cannot be bound or a file not be used.
    public init(_ configuration: TransportConfiguration, makeService: @escaping MakeService) throws(TransportError) {
        configuration.limits.assertRelations()
        let count = max(configuration.shardCount, 1)
        let tls: TLSContext?
        if let files = configuration.tls { tls = try TLSContext(files) } else { tls = nil }
        Self.prepareProcess()
        tlsFiles = configuration.tls
        state = ServerState(configuration)
        mailboxes = (0..<count).map(ShardMailbox.init(index:))
        var sockets: [[ListeningSocket]] = Array(repeating: [], count: count)
        do throws(TransportError) {
            addresses = try Self.bind(configuration.addresses, into: &sockets)
        } catch {
            for socket in sockets.joined() { Glibc.close(socket.fd) }
            throw error
        }
        threads = Locked([])
        socketFiles = Locked(
            addresses.compactMap { address in
                if case .unix(let path) = address { path } else { nil }
            })
        // Contexts are made one after another: libwebsockets loads its event-loop plug-in while it makes one.
        for index in 0..<count {
            let loop = UnsafeMutablePointer<uv_loop_t>.allocate(capacity: 1)
            loop.initialize(to: uv_loop_t())
            guard let context = Self.makeContext(on: loop) else {
                loop.deallocate()
                stop()
                for socket in sockets.joined() { Glibc.close(socket.fd) }
                throw TransportError(description: "an event loop could not be made: too few file descriptors or memory")
            }
            let start = ShardStart(
                index: index, mailboxes: mailboxes, state: state, tls: tls, context: context, loop: loop,
                makeService: makeService)
            let thread = start.spawn()
            threads.withLock { $0.append(thread) }
        }
        // Not before all are there: what is accepted may have to go to another shard at once.
        for (mailbox, sockets) in zip(mailboxes, sockets) { mailbox.insist { $0.listen(sockets) } }
    }

    private static func makeContext(on loop: UnsafeMutablePointer<uv_loop_t>) -> OpaquePointer? {
        guard uv_loop_init(loop) == 0 else { return nil }
        if let context = rooms_context_create(loop) { return context }
        uv_loop_close(loop)
        return nil
    }

    /// New connections get the certificate as the files hold it now. What is wrong with them is thrown, and the old
    /// one stays.
    public func reloadCertificate() throws(TransportError) {
        guard let tlsFiles else { return }
        let context = try TLSContext(tlsFiles)
        for mailbox in mailboxes { mailbox.insist { $0.tlsContext = context } }
    }

    /// Accepts no more; what is connected stays.
    public func stopListening() {
        removeSocketFiles()
        for mailbox in mailboxes { mailbox.insist { $0.stopListening() } }
    }

    /// Once: the next server may have put its own in their place.
    private func removeSocketFiles() {
        let paths = socketFiles.withLock { paths in
            let taken = paths
            paths = []
            return taken
        }
        for path in paths { unlink(path) }
    }

    /// Ends all connections and waits for the threads.
    public func stop() {
        let running = threads.withLock { threads in
            let taken = threads
            threads = []
            return taken
        }
        removeSocketFiles()
        for mailbox in mailboxes { mailbox.insist { $0.stop() } }
        for thread in running { pthread_join(thread, nil) }
    }

    // MARK: Starting

    private static let processPrepared: Void = {
        signal(SIGPIPE, SIG_IGN)
        rooms_set_descriptor_events(
            rooms_descriptor_events(
                readable: { owner in
                    guard let owner else { return }
                    Unmanaged<Connection>.fromOpaque(owner)._withUnsafeGuaranteedRef { $0.socketReadable() }
                },
                writable: { owner in
                    guard let owner else { return }
                    Unmanaged<Connection>.fromOpaque(owner)._withUnsafeGuaranteedRef { $0.socketWritable() }
                },
                lost: { owner in
                    guard let owner else { return }
                    Unmanaged<Connection>.fromOpaque(owner).takeUnretainedValue().socketLost()
                }))
        // libwebsockets makes a table as long as this limit, and with more than ten million a far too short one.
        var limit = rlimit()
        if getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0, limit.rlim_cur > 2_000_000 {
            limit.rlim_cur = 2_000_000
            setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
        }
    }()

    private static func prepareProcess() {
        _ = processPrepared
    }

    private static func bind(
        _ wanted: [ListenAddress], into sockets: inout [[ListeningSocket]]
    ) throws(TransportError) -> [ListenAddress] {
        var bound: [ListenAddress] = []
        for address in wanted {
            switch address {
            case .tcp(let ip, var port):
                for index in sockets.indices {
                    let socket = try ListeningSocket.tcp(ip, port)
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
}

/// What a shard's thread needs to begin; handed over to it once.
private final class ShardStart: @unchecked Sendable {
    private let index: Int
    private let mailboxes: [ShardMailbox]
    private let state: ServerState
    private let tls: TLSContext?
    private let context: OpaquePointer
    private let loop: UnsafeMutablePointer<uv_loop_t>
    private let makeService: TransportServer.MakeService
    private let ready = Locked(false)

    init(
        index: Int, mailboxes: [ShardMailbox], state: ServerState, tls: TLSContext?, context: OpaquePointer,
        loop: UnsafeMutablePointer<uv_loop_t>,
        makeService: @escaping TransportServer.MakeService
    ) {
        self.index = index
        self.mailboxes = mailboxes
        self.state = state
        self.tls = tls
        self.context = context
        self.loop = loop
        self.makeService = makeService
    }

    /// Starts the thread and returns when it can be posted to.
    func spawn() -> pthread_t {
        var thread = pthread_t()
        let status = pthread_create(
            &thread, nil,
            { argument in
                guard let argument else { return nil }
                Unmanaged<ShardStart>.fromOpaque(argument).takeRetainedValue().run()
                return nil
            }, Unmanaged.passRetained(self).toOpaque())
        precondition(status == 0, "a thread could not be started: \(status)")
        while !ready.withLock({ $0 }) { usleep(100) }
        return thread
    }

    private func run() {
        let shard = Shard(
            index: index, mailboxes: mailboxes, server: state, tlsContext: tls, context: context, loop: loop)
        shard.service = makeService(shard)
        ready.withLock { $0 = true }
        shard.run()
        // `stop` has begun this from within the loop; only now can it be completed.
        lws_context_destroy(context)
        uv_run(loop, UV_RUN_DEFAULT)
        let status = uv_loop_close(loop)
        precondition(status == 0, "a loop ended with handles of its own: \(status)")
        loop.deinitialize(count: 1)
        loop.deallocate()
    }
}

/// A bound, listening, non-blocking socket.
struct ListeningSocket {
    let fd: Int32
    let port: UInt16
    let dealsOut: Bool

    static func tcp(_ address: IPAddress, _ port: UInt16) throws(TransportError) -> ListeningSocket {
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
        setsockopt(fd, SOL_SOCKET, SO_REUSEPORT, &on, socklen_t(MemoryLayout<Int32>.size))
        if address.isIPv6 {
            // `[::]` takes IPv4 too, whatever the system's default.
            var off: Int32 = 0
            setsockopt(fd, Int32(IPPROTO_IPV6), IPV6_V6ONLY, &off, socklen_t(MemoryLayout<Int32>.size))
        }
        let status = withUnsafePointer(to: &storage) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { Glibc.bind(fd, $0, length) }
        }
        guard status == 0, listen(fd, Listener.backlog) == 0 else {
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
        // A socket that a dead server left behind is in the way; one that answers is somebody's.
        let probe = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        if probe >= 0 {
            if withAddress({ connect(probe, $0, $1) }) == -1, errno == ECONNREFUSED { unlink(path) }
            Glibc.close(probe)
        }
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
