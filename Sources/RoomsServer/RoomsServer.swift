import API
import Accounts
import Board
import Configuration
import Identity
import Logging
import Media
import Operations
import Push
import Recorder
import Relay
import Rooms
import RoomsClient
import Sessions
import Store
import Threads
import Transport

/// A running server: event loops, sessions and services.
package final class RoomsServer: Sendable {
    private let transport: TransportServer
    /// Answers `/metrics` on a loop of its own; nil without `metrics-listen`.
    private let monitoring: TransportServer?
    /// Operations on rooms that do not come from their members: those of REST, operators and uploads.
    package let rooms: RoomCommands
    private let logger: Logger
    private let census: SessionCensus
    private let pushes: PushSender?
    /// Nil where people have no accounts.
    private let accounts: Accounts?
    /// Nil where no files are kept.
    private let media: MediaService?
    private let mediaSweep: Task<Void, Never>?
    /// Nil where no rooms are recorded.
    private let recordings: RecordingLibrary?
    private let housekeeping: Task<Void, Never>
    private let clusterTasks: [Task<Void, Never>]
    private let operatorTasks: OperatorTasks
    private let bots: DemoBots?
    private let member: ClusterMember?
    private let relay: RelayHub
    /// The addresses of applications come behind those of the server itself.
    private let ownAddressCount: Int

    /// Binds and begins to serve. Throws when an address cannot be bound or a file not be used.
    ///
    /// - Parameters:
    ///   - store: the data that survives a restart; without it all data is in memory. The caller closes it.
    ///   - member: the server as a node of a cluster. The caller ends it after the store.
    ///   - sockets: listening sockets that exist already.
    ///   - uploads: the worker for uploaded files, if the caller has one already.
    ///   - end: begins to stop the server, when an operator asks for it.
    package init(
        _ configuration: ServerConfiguration, _ logger: Logger, store: (any ServerStore & HomeStore)? = nil,
        member: ClusterMember? = nil, sockets: ListeningSockets? = nil, uploads: UploadWorker? = nil,
        end: @escaping @Sendable () -> Void = {}
    ) throws(TransportError) {
        (self.logger, self.member, ownAddressCount) = (logger, member, configuration.listen.count)
        let (accounts, verifier) = try Self.identity(configuration, store, logger)
        let (sessions, relay) = (configuration.sessions, configuration.relay)
        let (hub, census) = (SocketHub(), SessionCensus(sessions))
        (self.accounts, self.census) = (accounts, census)
        let isOpen = configuration.auth == .open
        let directory: any RoomDirectory = store.map { StoreDirectory($0, isOpen: isOpen) } ?? OpenDirectory()
        let media = store == nil ? nil : try Self.media(configuration, uploads, logger)
        let recordings = try configuration.recordingLibrary(store, node: member?.node, logger)
        let keeper = MemoryKeeper(bytesMax: configuration.memoryRoomsSizeMax)
        let relayHub = RelayHub(
            shardCount: configuration.threads, flow: configuration.flow, directory: directory, keeper: keeper,
            store: store, mediaOf: MediaReference.keys, condemned: media?.condemned ?? CondemnedMedia(),
            roomRecorder: recordings?.writer, flights: try configuration.flights(logger),
            cluster: store.flatMap { store in member?.relay(store) }, bans: BanList(isRead: store == nil))
        let bots = configuration.offersBots ? DemoBots(origins: configuration.originPolicy) : nil
        (self.media, self.relay, self.recordings, self.bots) = (media, relayHub, recordings, bots)
        let reading = store.map { BanReading($0, relayHub.bans, logger) }
        let people = store.map { AccountVerifier(verifier, $0) } ?? verifier
        let api = store.map { configuration.api($0, verifier, accounts, media, recordings) }
        let board = configuration.board(media, recordings)
        let pushTotals = PushTotals()
        let facts = OperatorFacts(
            version: Version.current, token: configuration.operatorToken?.revealed(), relay: relayHub, store: store,
            keeper: store == nil ? keeper : nil, pushes: configuration.sendsNotifications ? pushTotals : nil,
            codes: accounts?.codeTotals, cluster: store.flatMap { store in member?.watch(store) },
            recordings: recordings?.totals, audit: AuditLog(store, logger, server: relayHub.node), drain: end)
        let mounts = ServerMounts(
            hosts: configuration.hostPolicy, relay: relayHub, store: store, api: api,
            apps: try accounts.map { accounts throws(TransportError) in
                try configuration.apps(accounts, media, logger)
            } ?? [],
            operators: configuration.operatorToken == nil ? nil : facts, bots: bots, board: board)
        let (gate, bans) = (configuration.requestGate, relayHub.bans)
        transport = try TransportServer(configuration.transport(logger), bound: sockets) { shard in
            shard.admit(by: gate, bans)
            let server = SocketServer(shard: shard, hub: hub, configuration: sessions)
            Relay(shard: shard, hub: relayHub, configuration: relay, verifier: people).open("/", on: server)
            let service = SessionService(
                shard: shard, configuration: sessions, census: census, nodes: member, makeHandler: server.makeHandler)
            service.admission = { [unowned shard] in relayHub.beginSession($0, on: shard) }
            shard.keep(service)
            return mounts.router(with: service, on: shard)
        }
        try Self.join(member, transport, relayHub)
        let rooms = RoomCommands(transport.mailboxes, relayHub)
        self.rooms = rooms
        monitoring = try Self.monitoring(configuration, facts, transport, isOnlyOne: sockets != nil, logger)
        pushes = store.flatMap { configuration.pushSender($0, rooms, pushTotals, logger) }
        mediaSweep = Self.startSweep(configuration, media, store, rooms)
        housekeeping = Self.startHousekeeping(relayHub.meters + gate.meters + mounts.meters)
        clusterTasks = Self.startClusterTasks(configuration, member, facts, transport, logger)
        operatorTasks = OperatorTasks(configuration, facts, transport, rooms, reading, isOfCluster: member != nil)
        begin(accounts, rooms, store, configuration)
    }

    private func begin(
        _ accounts: Accounts?, _ rooms: RoomCommands, _ store: (any ServerStore)?, _ configuration: ServerConfiguration
    ) {
        if let accounts { begin(accounts, rooms, withTestAccounts: configuration.hasTestAccounts) }
        watch(store)
        openToBots(path: configuration.path)
    }

    private func begin(_ accounts: Accounts, _ rooms: RoomCommands, withTestAccounts: Bool) {
        accounts.onNews { [unowned accounts] news in
            switch news {
            case .ended(let session): rooms.end(session)
            case .message(let message): rooms.tell(.message(message))
            case .balances(let wallet, let json): rooms.tell(.balances(json, of: wallet, accounts.chain))
            }
        }
        guard withTestAccounts else { return }
        let logger = logger
        Task.detached {
            do throws(AccountFault) {
                let made = try await accounts.makeTestAccounts(now: Int64(Timestamp.now().seconds))
                let emails = made.emails.joined(separator: ", ")
                logger.info("there are test accounts", ["emails": "\(emails)", "password": "\(made.password)"])
            } catch {
                logger.warning("there are no test accounts", ["reason": "\(error)"])
            }
        }
    }

    private static func join(
        _ member: ClusterMember?, _ transport: TransportServer, _ hub: RelayHub
    ) throws(TransportError) {
        do throws(ClientError) {
            try member?.connect(transport.mailboxes, hub)
        } catch {
            transport.stop()
            throw TransportError(description: "the cluster cannot be joined: \(error)")
        }
    }

    /// Tells the cluster of this node from time to time, and sends its clients away while it is cut off.
    private static func startClusterTasks(
        _ configuration: ServerConfiguration, _ member: ClusterMember?, _ facts: OperatorFacts,
        _ server: TransportServer, _ logger: Logger
    ) -> [Task<Void, Never>] {
        guard let member else { return [] }
        let (mailboxes, state) = (server.mailboxes, server.state)
        let watch = CutOffWatch(
            member: member, mailboxes: mailboxes,
            windowMilliseconds: configuration.drainWindowInUse.wholeMilliseconds, logger: logger)
        let reporting = Task.detached(priority: .background) {
            while !Task.isCancelled {
                member.say(await NodeReport.now(facts, mailboxes, state))
                try? await Task.sleep(for: .seconds(2))
            }
        }
        return [reporting, Task.detached { await watch.run() }]
    }

    /// The accounts of the server, if it has any, and the verifier of its tokens.
    private static func identity(
        _ configuration: ServerConfiguration, _ store: (any ServerStore)?, _ logger: Logger
    ) throws(TransportError) -> (Accounts?, any TokenVerifier) {
        do throws(IdentityFault) {
            let accounts = try configuration.accounts(store, logger)
            return (accounts, try configuration.tokenVerifier(accounts, logger))
        } catch {
            throw TransportError(description: "\(error)")
        }
    }

    private static func media(
        _ configuration: ServerConfiguration, _ uploads: UploadWorker?, _ logger: Logger
    ) throws(TransportError) -> MediaService? {
        do throws(MediaError) {
            return try configuration.mediaService(uploads ?? UploadWorker(configuration, logger), logger)
        } catch {
            throw TransportError(description: "\(configuration.mediaDirectory ?? "media"): \(error)")
        }
    }

    /// - Parameter isOnlyOne: whether no other process could serve in place of this one, because its predecessor has
    ///   handed over the sockets and stopped. It then serves without metrics rather than not at all.
    private static func monitoring(
        _ configuration: ServerConfiguration, _ facts: OperatorFacts, _ server: TransportServer, isOnlyOne: Bool,
        _ logger: Logger
    ) throws(TransportError) -> TransportServer? {
        do throws(TransportError) {
            return try monitor(configuration, facts, server)
        } catch {
            guard isOnlyOne else {
                server.stop()
                throw error
            }
            logger.error("metrics are not served", ["reason": error.description])
            return nil
        }
    }

    private func openToBots(path: String) {
        do throws(ClientError) {
            try bots?.open(Array(transport.addresses.prefix(ownAddressCount)), path: path)
        } catch {
            logger.error("no bots can be invited", ["reason": "\(error)"])
        }
    }

    private static func monitor(
        _ configuration: ServerConfiguration, _ facts: OperatorFacts, _ server: TransportServer
    ) throws(TransportError) -> TransportServer? {
        guard !configuration.metricsListen.isEmpty else { return nil }
        var own = TransportConfiguration()
        own.addresses = configuration.metricsListen
        own.limits.connectionsMax = 100
        let isOpen = configuration.metricsListen.allSatisfy(\.isLocal)
        let (mailboxes, state) = (server.mailboxes, server.state)
        return try TransportServer(own) { shard in
            MetricsService(OperatorDesk(facts, on: shard, mailboxes: mailboxes, server: state), isOpen: isOpen)
        }
    }

    /// The addresses of `metrics-listen`.
    package var metricsAddresses: [String] {
        (monitoring?.addresses ?? []).map { $0.isUnix ? $0.description : "http://\($0)" }
    }

    /// Removes unused meters every ten seconds, and then returns freed memory, theirs among it, to the system.
    private static func startHousekeeping(_ meters: [any Meters]) -> Task<Void, Never> {
        Task.detached(priority: .background) {
            let seconds = 10
            var memory = FreedMemory(everySeconds: seconds)
            // Sleeping fails when the task is cancelled.
            while (try? await Task.sleep(for: .seconds(seconds))) != nil {
                for table in meters {
                    while table.removeUnused(now: Clock.milliseconds()) { try? await Task.sleep(for: .milliseconds(1)) }
                }
                memory.giveBack()
            }
        }
    }

    /// Deletes files that no element and no profile shows, after `media-grace`.
    private static func startSweep(
        _ configuration: ServerConfiguration, _ media: MediaService?, _ store: (any ServerStore)?, _ rooms: RoomCommands
    ) -> Task<Void, Never>? {
        guard let media, let store else { return nil }
        let grace = configuration.mediaGrace.wholeMilliseconds / 1_000
        let sweep = MediaSweep(media, store, rooms, graceSeconds: grace)
        return Task.detached(priority: .background) { await sweep.run { Int64(Timestamp.now().seconds) } }
    }

    /// Lets the rooms store again when the store has recovered, and logs why it fails.
    private func watch(_ store: (any ServerStore)?) {
        let (mailboxes, logger) = (transport.mailboxes, logger)
        store?.onHealth { health in
            switch health {
            case .good:
                logger.info("the store works again")
                Relay.storeIsGood(mailboxes)
            case .failing(let error): logger.error("the store fails", ["reason": error.description])
            }
        }
    }

    /// Addresses as a client would write them; the port is the real one when any free one was asked for.
    package var addresses: [String] { transport.addresses.prefix(ownAddressCount).map(written) }

    /// The addresses of applications with a listener of their own, in the order of the setting.
    package var appAddresses: [String] { transport.addresses.dropFirst(ownAddressCount).map(written) }

    private func written(_ address: ListenAddress) -> String {
        address.isUnix ? address.description : "\(transport.isSecure ? "https" : "http")://\(address)"
    }

    /// True once the bans are read. Before that the server lets nobody in.
    var isOpen: Bool { relay.bans.isRead }

    package var connectionCount: Int { transport.state.counters.connectionsOpen.value }

    /// New connections get the certificate as its files hold it now; when they cannot be used, the old one stays.
    package func reloadCertificate() {
        guard transport.isSecure else { return logger.info("there is no certificate to reload") }
        do throws(TransportError) {
            try transport.reloadCertificate()
            logger.info("certificate reloaded")
        } catch {
            logger.error("certificate not reloaded; the old one stays in use", ["reason": error.description])
        }
    }

    /// Open sessions, including those whose clients do not know yet that the server ends them.
    package var sessionCount: Int { census.open }

    /// Whether all sessions have ended, all close frames are sent and no upload is in progress. Connections of other
    /// requests may still be open.
    package var isEmpty: Bool {
        census.open == 0 && transport.state.counters.webSocketsOpen.value == 0 && uploadCount == 0
    }

    /// Uploads that are under way.
    package var uploadCount: Int { media?.uploadCount ?? 0 }

    /// Accepts no more uploads. Clients are told to come back in a moment.
    func refuseUploads() { media?.refuseUploads() }

    /// Admits no new session and closes the open ones, one after another within so many milliseconds.
    ///
    /// The server keeps listening, to tell load balancers that it is not healthy, and clients when to come back.
    /// Notifications stay in the store for the next server.
    package func drain(overMilliseconds milliseconds: Int) {
        bots?.stop()
        pushes?.stop(waitingMilliseconds: 0)
        refuseUploads()
        for mailbox in transport.mailboxes { mailbox.post(DrainOrder(overMilliseconds: milliseconds)) }
    }

    /// Gives all rooms to the other nodes of the cluster. The sessions have ended.
    package func handOverRooms() {
        if member != nil { Relay.handOver(transport.mailboxes, relay) }
    }

    /// Whether rooms are still being given away.
    package var handsOverRooms: Bool { relay.shardsHandingOver.value > 0 }

    package func stop() {
        mediaSweep?.cancel()
        housekeeping.cancel()
        for task in clusterTasks { task.cancel() }
        operatorTasks.cancel()
        monitoring?.stop()
        pushes?.stop()
        bots?.stop()
        transport.stop()
        recordings?.stop()
        member?.disconnect()
        media?.stop()
        accounts?.stop()
    }

    // MARK: Handing over to another process

    var loopCheck: LoopCheck { LoopCheck(transport.mailboxes) }

    var listeningDescriptors: [Int32] { transport.listeningDescriptors }

    var removesSocketFiles: Bool { transport.removesSocketFiles }

    /// Accepts no more, and leaves the sockets to the process that has them too.
    func handOverSockets() { transport.stopListening(isHandedOver: true) }
}

extension Shard {
    /// Refuses requests of addresses that send too many or that operators have banned, and all until the bans are read.
    fileprivate func admit(by gate: RequestGate, _ bans: BanList) {
        requestAdmission = { [unowned self] in gate.count($0, $1, on: self) }
        barrier = { [unowned self] in bans.barrier(for: $0, at: self.unixSeconds) }
    }
}

/// Makes a shard close its sessions, one after another within some time.
private struct DrainOrder: ShardItem {
    let overMilliseconds: Int

    func arrive(on shard: Shard) {
        shard.local(SessionService.self)?.drain(over: overMilliseconds)
        shard.local(Relay.self)?.edge.otherConnections?.drain(over: overMilliseconds)
    }
}

extension RoomCommands {
    /// Ends the connections of a session on all nodes.
    fileprivate func end(_ session: EndedSession) {
        let commands = self
        Task.detached { await commands.disconnect(ConnectionsOf(session.person, session: session.id)) }
    }
}
