import Cluster
import Configuration
import Logging
import Operations
import Relay
import RoomsClient
import Sessions
import Store
import Threads
import Transport

/// This server as a node of a cluster: its life in the database, and its link to the other nodes.
///
/// It begins before the store is opened, and ends after the store has stored everything: until then no other node may
/// become home to the rooms of this one.
package final class ClusterMember: Sendable {
    package let node: ClusterNode
    private let registry: NodeRegistry
    private let life: NodeLife
    private let configuration: ServerConfiguration
    private let logger: Logger

    /// Nil on a server that is not part of a cluster.
    ///
    /// - Parameter end: drains and stops the server: an operator asks for it, or another process lives under its number.
    package convenience init?(
        _ configuration: ServerConfiguration, _ logger: Logger, end: @escaping @Sendable () -> Void
    ) throws(StoreError) {
        guard let number = configuration.clusterNode, case .postgres(let place)? = try configuration.storePlace() else {
            return nil
        }
        try self.init(number, place, configuration, logger, end)
    }

    private init(
        _ number: Int, _ place: PostgresPlace, _ configuration: ServerConfiguration, _ logger: Logger,
        _ end: @escaping @Sendable () -> Void
    ) throws(StoreError) {
        (self.configuration, self.logger) = (configuration, logger)
        life = NodeLife(number, logger, end)
        registry = try NodeRegistry(
            place, node: number, version: Version.current, links: LinkFrame.versions, user: life)
        node = registry.node
        logger.info("node of a cluster", ["node": number, "boot": Int(node.boot)])
    }

    /// The cluster for the relay.
    package func relay(_ store: any HomeStore) -> RelayCluster {
        RelayCluster(node: node, homes: store, link: self)
    }

    /// Begins to talk to the other nodes, once there are shards that take what they send.
    package func connect(_ mailboxes: [ShardMailbox], _ hub: RelayHub) throws(ClientError) {
        let servers = (try? RedisServer.list(configuration.clusterRedis?.revealed() ?? [])) ?? []
        let trust = servers.contains(where: \.isSecure) ? try TLSTrust(authorities: configuration.clusterCAFile) : nil
        let options = ClusterLink.Options(
            node: node.id, boot: UInt64(node.boot), cluster: configuration.clusterName,
            secret: configuration.clusterSecret?.revealed() ?? [], servers: servers, trust: trust)
        let link = try ClusterLink(
            options,
            user: Incoming(
                mailboxes: mailboxes, arrivals: LinkArrivals(mailboxes, hub), registry: registry, logger: logger))
        life.connect(link, mailboxes)
    }

    /// What the operators of the cluster read of this node.
    package func say(_ report: NodeReport) { life.say(report) }

    /// Talks to the other nodes no more.
    package func disconnect() { life.link?.stop() }

    /// Whether the node has reached neither the database nor Redis for the time of a lease. Then its clients can change nothing,
    /// and see nobody who is on another node.
    package var isCutOff: Bool {
        Self.isCutOff(
            leaseMilliseconds: registry.lease.ageMilliseconds, awayMilliseconds: life.link?.awayMilliseconds ?? 0)
    }

    /// - Parameters:
    ///   - leaseMilliseconds: how long ago the database has renewed the lease.
    ///   - awayMilliseconds: how long Redis cannot be reached.
    static func isCutOff(leaseMilliseconds: Int64, awayMilliseconds: Int64) -> Bool {
        min(leaseMilliseconds, awayMilliseconds) >= NodeRegistry.leaseMilliseconds
    }

    /// Other nodes may become home to the rooms of this one.
    package func end() { registry.stop() }
}

extension ClusterMember: RelayLink {
    package func send(
        _ message: RelayMessage, holding: (any AnyObject & Sendable)?, to node: Int, life: UInt64
    ) -> Bool {
        guard let record = LinkCodec.encode(message) else { return false }
        return self.life.link?.send(record, holding: holding, to: node, life: life) ?? false
    }

    package func flush() { life.link?.flush() }

    package func isLate(_ node: Int) -> Bool { life.link?.isLate(node) ?? false }

    package func send(_ message: RelayMessage, to node: Int) -> Bool {
        guard let record = LinkCodec.encode(message) else { return false }
        return life.link?.send(record, to: node, waitingAtMost: ClusterLink.pipeBytesMax) ?? false
    }

    package func tell(_ event: PersonalEvent, to node: Int) {
        guard let record = LinkCodec.encode(.personal(event)) else { return }
        _ = life.link?.send(record, to: node, waitingAtMost: ClusterLink.pipeBytesMax / 4)
    }

    package var others: [Int] { life.link?.reading.peers.map(\.node) ?? [] }
}

extension ClusterMember: FarNodes {
    package func isReached(_ node: Int) -> Bool { life.link?.isConnected(to: node) ?? false }

    /// Rooms must not suffer from polling that comes to the wrong node: it gets a part of what may wait. What ends a
    /// request gets more of it than what begins one.
    package func send(_ message: FarPollMessage, to node: Int) -> Bool {
        let quarters = if case .request = message { 2 } else { 3 }
        let most = ClusterLink.pipeBytesMax / 4 * quarters
        return life.link?.send(message.record, to: node, waitingAtMost: most) ?? false
    }
}

extension ClusterMember {
    /// This node for its own operators.
    package func watch(_ store: any HomeStore) -> any ClusterWatch { Watch(member: self, store: store) }

    private struct Watch: ClusterWatch {
        let member: ClusterMember
        let store: any HomeStore

        var reading: ClusterReading {
            let lease = member.registry.lease
            return ClusterReading(
                node: member.node.id, link: member.life.link?.reading ?? LinkReading(isCarried: false, peers: []),
                leaseMilliseconds: lease.ageMilliseconds, lapses: lease.lapses, isCutOff: member.isCutOff)
        }

        func nodes(then answer: @escaping @Sendable ([NodeRecord]?) -> Void) {
            store.nodes { answer(try? $0.get()) }
        }
    }
}

/// What the registry of nodes tells this server, and what this server tells it.
private final class NodeLife: NodeRegistryUser {
    private struct State {
        var link: ClusterLink?
        var living: [Int: ClosedRange<Int>] = [:]
        /// Nodes that live and speak no version of the link that this one speaks.
        var strangers: Set<Int> = []
        /// How often this node was taken for dead.
        var lapses = 0
        var mailboxes: [any RelayMailbox] = []
        var report: String?
    }

    private let state = Locked(State())
    private let node: Int
    private let logger: Logger
    private let end: @Sendable () -> Void

    init(_ node: Int, _ logger: Logger, _ end: @escaping @Sendable () -> Void) {
        self.node = node
        self.logger = logger
        self.end = end
    }

    var link: ClusterLink? { state.withLock { $0.link } }

    func connect(_ link: ClusterLink, _ mailboxes: [any RelayMailbox]) {
        let (living, lapses) = state.withLock { state in
            (state.link, state.mailboxes) = (link, mailboxes)
            return (state.living, state.lapses)
        }
        link.setPeers(living)
        if lapses > 0 { tell(mailboxes, lapses) }
    }

    func say(_ report: NodeReport) { state.withLock { $0.report = report.json } }

    func takeReport() -> String? { state.withLock { $0.report.take() } }

    func renewed(living: [Int: ClosedRange<Int>], lapses: Int) {
        let (link, mailboxes, met, hasLapsed) = state.withLock { state in
            let strangers = Set(living.filter { !$0.value.overlaps(LinkFrame.versions) }.keys)
            defer { (state.living, state.strangers, state.lapses) = (living, strangers, lapses) }
            return (state.link, state.mailboxes, strangers.subtracting(state.strangers), lapses > state.lapses)
        }
        link?.setPeers(living)
        for node in met.sorted() { warn(of: node, living[node]) }
        guard hasLapsed else { return }
        logger.warning("the lease of this node was over, and others may have taken it for dead; it checks its rooms")
        tell(mailboxes, lapses)
    }

    private func tell(_ mailboxes: [any RelayMailbox], _ lapses: Int) {
        for mailbox in mailboxes { mailbox.insist(.peer(.lapsed(lapses))) }
    }

    func databaseWasStarted() {
        logger.info("PostgreSQL was started, or is another server: rooms check what they have stored")
        Relay.databaseWasStarted(state.withLock { $0.mailboxes })
    }

    private func warn(of stranger: Int, _ versions: ClosedRange<Int>?) {
        logger.error(
            "a node speaks no version of the link that this one speaks: they do not reach each other",
            [
                "node": stranger, "its": versions?.versionsShown ?? "", "own": LinkFrame.versions.versionsShown,
            ])
    }

    func shallDrain() {
        logger.info("an operator drains this node", ["node": node])
        end()
    }

    func isReplaced() {
        logger.error("another server lives under the number of this node", ["node": node])
        end()
    }
}

/// Gives what other nodes send to the shards that it is for.
private struct Incoming: ClusterLinkUser {
    let mailboxes: [ShardMailbox]
    let arrivals: LinkArrivals
    let registry: NodeRegistry
    let logger: Logger

    func established(_ node: Int, life: UInt64) {
        arrivals.established(node, life: life)
        logger.info("node connected", ["node": node])
    }

    func lost(_ node: Int) {
        logger.warning("node lost", ["node": node])
        arrivals.lost(node)
        for mailbox in mailboxes { mailbox.insist(FarPollItem.lost(node)) }
    }

    func received(_ record: [UInt8], from node: Int) -> Bool {
        do {
            if let message = try FarPollMessage(record: record) { return take(message, from: node) }
            return arrivals.take(try LinkCodec.decode(record, from: node), from: node)
        } catch {
            logger.error("a message of another node cannot be read", ["node": node, "bytes": record.count])
            return true
        }
    }

    private func take(_ message: FarPollMessage, from node: Int) -> Bool {
        // Any shard answers a request for a session of a shard that is not there.
        mailboxes[message.shard % mailboxes.count].post(FarPollItem.message(message, from: node))
    }

    func unheard(_ node: Int) { registry.suspect(node) }

    func carrierChanged(_ problem: String?) {
        guard let problem else { return logger.info("Redis carries the cluster's messages") }
        logger.warning("Redis cannot be reached; rooms on one node go on", ["reason": problem])
    }
}
