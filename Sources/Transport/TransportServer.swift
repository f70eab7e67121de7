import CLibWebSockets
import Glibc
import Threads

/// The event loops of a server with their listening sockets. It may be made, used and stopped from any thread.
public final class TransportServer: Sendable {
    public typealias MakeService = @Sendable (Shard) -> any HTTPService

    public let state: ServerState
    public let mailboxes: [ShardMailbox]
    /// The addresses; the port is the real one when 0 was asked for.
    public let addresses: [ListenAddress]
    private let threads: Locked<[SystemThread]>
    /// The files of Unix sockets that this process still has to remove.
    private let socketFiles: Locked<[String]>
    /// The listening sockets while they are open.
    private let descriptors: Locked<[Int32]>
    private let tlsFiles: TLSFiles?

    public var isSecure: Bool { tlsFiles != nil }

    /// Binds, starts the threads and begins to accept. Throws when an address cannot be bound or a file cannot be used.
    ///
    /// - Parameter bound: sockets for the addresses and shards of the configuration, if they exist already.
    public init(
        _ configuration: TransportConfiguration, bound: ListeningSockets? = nil, makeService: @escaping MakeService
    ) throws(TransportError) {
        configuration.limits.assertRelations()
        let count = max(configuration.shardCount, 1)
        let tls: TLSContext?
        if let files = configuration.tls { tls = try TLSContext(files) } else { tls = nil }
        Self.prepareProcess()
        tlsFiles = configuration.tls
        state = ServerState(configuration)
        mailboxes = (0..<count).map(ShardMailbox.init(index:))
        let sockets: ListeningSockets
        if let bound {
            precondition(bound.perShard.count == count, "sockets for another number of shards")
            sockets = bound
        } else {
            sockets = try ListeningSockets(configuration.addresses, shardCount: count)
        }
        addresses = sockets.addresses
        threads = Locked([])
        socketFiles = Locked(sockets.files)
        descriptors = Locked(sockets.perShard.joined().map(\.fd))
        do {
            for index in 0..<count { try startShard(index, tls, makeService) }
        } catch {
            stop()
            sockets.close()
            throw error
        }
        // Only when all shards are there: an accepted connection may have to move to another shard at once.
        for (mailbox, sockets) in zip(mailboxes, sockets.perShard) { mailbox.insist(ShardOrder.listen(sockets)) }
    }

    /// New connections get the certificate that the files have now. A fault of the files is thrown, and the old
    /// certificate stays.
    public func reloadCertificate() throws(TransportError) {
        guard let tlsFiles else { return }
        let context = try TLSContext(tlsFiles)
        for mailbox in mailboxes { mailbox.insist(ShardOrder.use(context)) }
    }

    /// The listening sockets, for another process. Ask before `stopListening`.
    public var listeningDescriptors: [Int32] { descriptors.withLock { $0 } }

    /// Whether the files of its Unix sockets are removed at the end.
    public var removesSocketFiles: Bool { socketFiles.withLock { !$0.isEmpty } }

    /// Accepts no more connections. Open ones stay.
    ///
    /// - Parameter isHandedOver: another process has taken over the sockets and their files.
    public func stopListening(isHandedOver: Bool = false) {
        if isHandedOver { socketFiles.withLock { $0 = [] } }
        removeSocketFiles()
        descriptors.withLock { $0 = [] }
        for mailbox in mailboxes { mailbox.insist(ShardOrder.stopListening) }
    }

    /// Only once: the next server may have put its own files in their place.
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
        descriptors.withLock { $0 = [] }
        for mailbox in mailboxes { mailbox.insist(ShardOrder.stop) }
        for thread in running { thread.join() }
    }

    // MARK: Starting

    private func startShard(_ index: Int, _ tls: TLSContext?, _ makeService: @escaping MakeService)
        throws(TransportError)
    {
        guard let loop = EventLoop.take() else {
            throw TransportError(
                description:
                    "an event loop could not be made: too few file descriptors or memory, or libwebsockets lacks its"
                    + " part for libuv (libwebsockets-evlib-uv)")
        }
        let start = ShardStart(
            index: index, mailboxes: mailboxes, state: state, tls: tls, loop: loop, makeService: makeService)
        guard let thread = start.spawn() else {
            loop.giveBack()
            throw TransportError(description: "a thread could not be started: the system has too many of them")
        }
        threads.withLock { $0.append(thread) }
    }

    private static let processPrepared: Void = {
        signal(SIGPIPE, SIG_IGN)
        rooms_set_readable { owner in
            guard let owner else { return }
            Unmanaged<SocketSet>.fromOpaque(owner)._withUnsafeGuaranteedRef { $0.serve() }
        }
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
}

/// The values with which a shard's thread begins. They are passed to it once.
private final class ShardStart: @unchecked Sendable {
    private let index: Int
    private let mailboxes: [ShardMailbox]
    private let state: ServerState
    private let tls: TLSContext?
    private let loop: EventLoop
    private let makeService: TransportServer.MakeService
    private let isReady = Monitor(false)

    init(
        index: Int, mailboxes: [ShardMailbox], state: ServerState, tls: TLSContext?, loop: EventLoop,
        makeService: @escaping TransportServer.MakeService
    ) {
        self.index = index
        self.mailboxes = mailboxes
        self.state = state
        self.tls = tls
        self.loop = loop
        self.makeService = makeService
    }

    /// Starts the thread, and returns when its mailbox works.
    func spawn() -> SystemThread? {
        guard let thread = SystemThread({ self.run() }) else { return nil }
        isReady.wait { $0 ? .done(()) : .again(at: nil) }
        return thread
    }

    private func run() {
        let shard = Shard(index: index, mailboxes: mailboxes, server: state, tlsContext: tls, loop: loop)
        shard.service = makeService(shard)
        isReady.withLock { $0 = true }
        isReady.notify()
        loop.run()
        // The shard is what its handles' memory hangs on.
        withExtendedLifetime(shard) { loop.giveBack() }
    }
}

/// Orders of the server to its shards.
private enum ShardOrder: ShardItem {
    case listen([ListeningSocket])
    /// Connections that begin from now on use this certificate.
    case use(TLSContext)
    case stopListening
    case stop

    func arrive(on shard: Shard) {
        switch self {
        case .listen(let sockets): shard.listen(sockets)
        case .use(let context): shard.tlsContext = context
        case .stopListening: shard.stopListening()
        case .stop: shard.stop()
        }
    }
}
