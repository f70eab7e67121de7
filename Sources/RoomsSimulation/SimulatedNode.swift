import Relay
import Rooms
import Sessions
import Store
import Transport

/// A server in one life after the other; in a cluster with its lease, and its link to the other nodes.
final class SimulatedNode {
    enum Phase {
        case running
        /// It does nothing, until it goes on as if no time had passed.
        case frozen
        case down
    }

    let number: Int
    let shardCount: Int
    unowned let world: Simulation
    /// Nil when nothing outlives the server.
    let store: SimulatedStore?
    private(set) var phase = Phase.down
    private(set) var server: SimulatedServer
    /// Nil on a server that is not part of a cluster.
    private(set) var link: SimulatedLink?
    private(set) var life: ClusterNode?
    /// Its sessions have ended, and it gives its rooms away.
    private(set) var isDraining = false
    /// Whether it reaches Redis, and hears what Redis has for it.
    var (speaks, hears) = (true, true)
    /// How far its clock on the wall is from the right time.
    var clockError: Int64 = 0
    private var renewedAt = Int64.min / 2
    /// The starts of the database of which it knows.
    private var databaseStarts = 0
    private var lapses = 0

    private static let renewalMilliseconds: Int64 = 500

    init(_ number: Int, _ world: Simulation, shardCount: Int, store: SimulatedStore?) {
        self.number = number
        self.world = world
        self.shardCount = shardCount
        self.store = store
        server = SimulatedServer.ended
    }

    var isRunning: Bool { phase == .running }

    // MARK: Its life

    /// Starts a server. In a cluster an earlier life must have ended; otherwise nothing happens.
    func start() {
        guard phase == .down else { return }
        guard world.isCluster, let store else {
            phase = .running
            world.database?.countStart()
            return server = SimulatedServer(world, self, nil)
        }
        guard !store.isFailing, let life = world.database?.begin(number) else { return }
        let link = SimulatedLink(self, boot: life.boot, bytesMax: world.pipeBytesMax)
        world.note("node \(number) begins its life \(life.boot)")
        world.database?.countStart()
        (self.life, self.link, phase, renewedAt, isDraining) = (life, link, .running, .min / 2, false)
        (lapses, databaseStarts) = (0, world.database?.starts ?? 0)
        server = SimulatedServer(world, self, RelayCluster(node: life, homes: store, link: link))
        link.connect(LinkArrivals(server.mailboxes, server.hub))
        live()
    }

    /// The process is killed. What the store was told and has not done is lost in part.
    func kill() {
        guard phase != .down else { return }
        end()
        store?.crash()
    }

    private func end() {
        server.stop()
        server = .ended
        (link, phase) = (nil, .down)
        world.forgetHeldBack(of: number)
    }

    func freeze() {
        guard phase == .running else { return }
        phase = .frozen
        // A statement that the database has got is executed all the same.
        if world.random.percent(50) { store?.doNext() }
    }

    func wake() { if phase == .frozen { phase = .running } }

    /// Ends the sessions, then gives the rooms away.
    func drain() {
        guard phase == .running, !isDraining else { return }
        isDraining = true
        for connection in server.connections.flatMap({ $0 }) { connection.end(.serverShuttingDown) }
        Relay.handOver(server.mailboxes, server.hub)
    }

    /// A node that has given all rooms away ends once its store has done its work.
    private func endIfDrained() {
        guard isDraining, server.hub.shardsHandingOver.value == 0, store?.isWorking == false, let life else { return }
        world.note("node \(number) has given its rooms away")
        world.reach(.handedOver)
        end()
        world.database?.end(life)
    }

    // MARK: What its other threads do

    /// Renews the lease when it is due.
    func live() {
        guard phase == .running, let life, let store, let database = world.database else { return }
        endIfDrained()
        guard phase == .running, world.now.monotonic - renewedAt >= Self.renewalMilliseconds, !store.isFailing else {
            return
        }
        guard let (living, lapses) = database.renew(life) else { return world.fail("node \(number) lives twice") }
        renewedAt = world.now.monotonic
        link?.setPeers(living)
        if databaseStarts != database.starts { Relay.databaseWasStarted(server.mailboxes) }
        databaseStarts = database.starts
        defer { self.lapses = lapses }
        guard lapses > self.lapses, !world.strikes(.ignoresLapse) else { return }
        world.note("node \(number) was taken for dead")
        world.reach(.lapsed)
        for mailbox in server.mailboxes { mailbox.insist(.peer(.lapsed(lapses))) }
    }

    /// The link's thread: what has come is delivered, and what is due is published.
    func carry(atMost count: Int) {
        guard phase == .running, let link else { return }
        for frame in world.wire.take(to: self, atMost: count) { link.receive(frame) }
        link.deliver()
        guard speaks else { return }
        let unheard = link.publish { world.wire.put($0, from: self) }
        if !unheard.isEmpty, store?.isFailing == false { world.database?.endSilent(unheard) }
    }
}
