import Identity
import Rooms
import Sessions
import Transport

/// The relay of rooms on one shard: its three parts, and the way of messages between them and to other shards.
///
/// The parts send each other `RelayMessage`s. There is one shortcut: a touch for a room whose home is the same shard
/// goes from the edge to the room without a message (`RelayContext.homeRoom`).
package final class Relay {
    package let edge: Edge
    package var bans: BanList { context.hub.bans }
    package let home: Home
    let returns: Returns
    private let context: RelayContext

    /// - Parameter mailboxes: those of all shards, by index.
    package init(
        on loop: any RelayLoop, _ mailboxes: [any RelayMailbox], hub: RelayHub, configuration: RelayConfiguration,
        verifier: any TokenVerifier
    ) {
        context = RelayContext(loop, mailboxes, hub, configuration)
        edge = Edge(context, AdmissionDesk(verifier, loop, mailboxes[loop.index], configuration, bans: hub.bans))
        home = Home(context)
        returns = Returns(context)
        context.take = { [unowned self] in self.take($0) }
        context.homeRoom = { [unowned home] in home.rooms[$0] }
    }

    deinit {
        context.hub.questions.end(of: context.loop.index)
    }

    /// The store has recovered: sends it again what it has refused. May be called from any thread.
    package static func storeIsGood(_ mailboxes: [any RelayMailbox]) {
        for mailbox in mailboxes {
            mailbox.insist(.homes(.storeIsGood))
            mailbox.insist(.edge(.storeIsGood))
        }
    }

    /// The database of a cluster was started, or another one is in its place. May be called from any thread.
    package static func databaseWasStarted(_ mailboxes: [any RelayMailbox]) {
        for mailbox in mailboxes { mailbox.insist(.homes(.databaseWasStarted)) }
    }

    /// This node of a cluster ends, and its sessions have ended: its rooms go to other nodes. May be called from any
    /// thread. The hub counts the shards that have not finished.
    package static func handOver(_ mailboxes: [any RelayMailbox], _ hub: RelayHub) {
        hub.shardsHandingOver.set(mailboxes.count)
        for mailbox in mailboxes { mailbox.insist(.homes(.handOver)) }
    }

    /// Sends what is due. Call it at the end of each turn of the loop.
    package func endTurn() {
        edge.sendDueTouches()
        home.tickDirtyRooms()
        edge.welcomeSome()
    }

    package func receive(_ message: RelayMessage) {
        context.deliver(message)
    }

    private func take(_ message: RelayMessage) {
        switch message {
        case .home(let room, let message): home.receive(message, room)
        case .homes(let message): home.receive(message)
        case .touches(let parcels): home.receive(parcels)
        case .client(let connection, let message): edge.receive(message, connection)
        case .edge(let message): edge.receive(message)
        case .returns(let message): returns.receive(message)
        case .outpost(let room, let message, let node): home.receive(message, room, from: node)
        case .answer(let question, let answer): home.answered(question, answer)
        case .far(_, let message): edge.receive(message)
        // A node's shards are told as edges.
        case .order, .consult, .condemned, .personal: break
        case .own(let message):
            context.noteOwnTaken()
            take(message)
        case .peer(let message):
            context.note(message)
            home.receive(message)
            returns.receive(message)
            edge.receive(message)
        }
    }

    package var reading: RelayReading {
        RelayReading(
            totals: context.counters.totals, clients: edge.clients.count, rooms: home.rooms.count,
            roomsLoading: home.loading.count, roomsSettling: home.settling.count,
            roomsElsewhere: home.outposts.count, lostClients: returns.lost.count,
            tickMilliseconds: context.hub.tickIntervals[context.loop.index].value)
    }
}

/// The state that the three parts of a shard's relay share.
final class RelayContext {
    let loop: any RelayLoop
    let mailboxes: [any RelayMailbox]
    let hub: RelayHub
    let configuration: RelayConfiguration
    let counters = RelayCounters()
    /// Gives a message to its part of this shard.
    fileprivate var take: (RelayMessage) -> Void = { _ in }
    /// Messages to this shard that wait until the current work is done.
    private var waiting = Fifo<RelayMessage>()
    private var isBusy = false
    /// Messages of this shard to itself in its mailbox.
    private var ownInMailbox = 0
    /// A room whose home is this shard: touches of its members on this shard go to it without a message.
    fileprivate(set) var homeRoom: (RoomID) -> HomeRoom? = { _ in nil }
    /// It begins at a random number: clients that come back after a restart name memberships of the previous server.
    private var nextMembership: UInt64
    /// The lives of the pipes to other nodes.
    private var lives: [Int: UInt64] = [:]
    /// Whether something was sent to another node in this turn.
    private var hasPosted = false

    init(
        _ loop: any RelayLoop, _ mailboxes: [any RelayMailbox], _ hub: RelayHub, _ configuration: RelayConfiguration
    ) {
        self.loop = loop
        self.mailboxes = mailboxes
        nextMembership = loop.randomNumber() >> 17
        self.hub = hub
        self.configuration = configuration
    }

    /// Does a piece of work as a whole. Messages to this shard that it sends arrive afterwards, like those to other
    /// shards.
    func asOne(_ body: () -> Void) {
        guard !isBusy else { return body() }
        isBusy = true
        body()
        if !waiting.isEmpty { takeWaiting() }
        isBusy = false
    }

    /// Apart, because most work sends this shard nothing, and an optional message is expensive to make and destroy.
    @inline(never)
    private func takeWaiting() {
        while let message = waiting.takeFirst() { take(message) }
    }

    /// Whether messages of this shard to itself wait. Work that must not overtake them has to go behind them.
    var isWaiting: Bool { !waiting.isEmpty || ownInMailbox > 0 }

    func deliver(_ message: RelayMessage) {
        waiting.append(message)
        asOne {}
    }

    /// Delivers a message of this shard's edge to its home, behind those that other shards have sent until now.
    ///
    /// A client may have learned of them already: it asks for the last place in a room after another has left it. What
    /// is here is bounded by what the clients of this shard send in one turn, because each turn takes it all.
    func deliverInOrder(_ message: RelayMessage) {
        let mailbox = mailboxes[loop.index]
        guard ownInMailbox > 0 || !mailbox.isEmpty, mailbox.insist(.own(message)) else { return deliver(message) }
        ownInMailbox += 1
    }

    fileprivate func noteOwnTaken() { ownInMailbox -= 1 }

    /// A number that is unique over the memberships of all nodes and shards.
    func takeMembershipNumber() -> UInt64 {
        defer { nextMembership += 1 }
        return ConnectionID(node: hub.node, shard: loop.index, number: nextMembership & (1 << 48 - 1)).bits
    }

    // MARK: Other nodes

    func note(_ message: PeerMessage) {
        switch message {
        case .established(let node, let life): lives[node] = life
        case .lost(let node): lives[node] = nil
        case .lapsed: break
        }
    }

    /// The life of the pipe to a node; nil while nothing can be sent there.
    func life(of node: Int) -> UInt64? { lives[node] }

    /// Whether a node is so far behind that it gets newest positions later.
    func isLate(_ node: Int) -> Bool { hub.cluster?.link.isLate(node) ?? false }

    /// Sends a message to another node. What cannot be sent is dropped: then this shard is told that the pipe is lost.
    func post(_ message: RelayMessage, to node: Int, holding: (any AnyObject & Sendable)? = nil) {
        guard let life = lives[node] else { return }
        _ = hub.cluster?.link.send(message, holding: holding, to: node, life: life)
        guard !hasPosted else { return }
        hasPosted = true
        // What one turn sends to a node goes there together.
        loop.atTurnEnd { [unowned self] in
            hasPosted = false
            hub.cluster?.link.flush()
        }
    }
}

/// A part of a shard's relay.
protocol RelayPart: AnyObject {
    var context: RelayContext { get }
    var loop: any RelayLoop { get }
}

extension RelayPart {
    var hub: RelayHub { context.hub }
    var configuration: RelayConfiguration { context.configuration }
    var counters: RelayCounters { context.counters }
    var random: LoopRandom { LoopRandom(loop: loop) }
    var now: Moment { Moment(monotonic: loop.now, unixSeconds: loop.unixSeconds) }
    /// Other threads send their answers to this shard through it.
    var mailbox: any RelayMailbox { context.mailboxes[loop.index] }

    func homeShard(of room: RoomID) -> Int { room.homeShard(of: context.mailboxes.count) }

    /// Sends a message to a shard. Returns false when that shard takes no more.
    ///
    /// - Parameter insists: whether a full mailbox takes the message too. The number of such messages is bounded by
    ///   that of clients, rooms and questions.
    @discardableResult
    func send(_ message: RelayMessage, to index: Int, insists: Bool = false) -> Bool {
        guard index != loop.index else {
            context.deliver(message)
            return true
        }
        return insists ? context.mailboxes[index].insist(message) : context.mailboxes[index].post(message)
    }

    /// Sends a client a message. A client gets no more messages than it has sent requests.
    func tell(_ connection: ConnectionID, _ message: ClientMessage) {
        send(.client(connection, message), to: connection.shard, insists: true)
    }

    /// Sends a message to the shard that a `pid` names; see `returnsShard`.
    func tell(_ pid: SessionID, _ message: ReturnsMessage) {
        if pid.node != hub.node, context.life(of: pid.node) != nil {
            context.post(.returns(message), to: pid.node)
        } else {
            send(.returns(message), to: returnsShard(of: pid), insists: true)
        }
    }

    /// The shard of this node that a `pid` names. While the node of a `pid` does not live, each node has a shard in its
    /// place, which knows what the store knows.
    func returnsShard(of pid: SessionID) -> Int { pid.shard % context.mailboxes.count }

    /// Sends a message to the edge of a shard of any node.
    ///
    /// - Returns: false when that shard takes no more.
    @discardableResult
    func tell(node: Int, shard: Int, _ message: EdgeMessage, insists: Bool = true) -> Bool {
        guard node != hub.node else { return send(.edge(message), to: shard, insists: insists) }
        context.post(.far(shard: shard, message), to: node)
        return true
    }
}
