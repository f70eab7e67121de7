import Identity
import Rooms
import Sessions
import Transport

/// The rooms' relay on one shard: its three parts, and the way between them and those of other shards.
///
/// The parts tell each other `RelayMessage`s. One thing is shorter: a touch for a room whose home is the same shard goes from
/// the edge to the room without a message (`RelayContext.homeRoom`).
package final class Relay {
    package let edge: Edge
    package let home: Home
    let returns: Returns
    private let context: RelayContext

    /// - Parameter mailboxes: those of all shards, by index.
    package init(
        on loop: any RelayLoop, _ mailboxes: [any RelayMailbox], hub: RelayHub, configuration: RelayConfiguration,
        verifier: any TokenVerifier
    ) {
        context = RelayContext(loop, mailboxes, hub, configuration)
        edge = Edge(context, AdmissionDesk(verifier, loop, mailboxes[loop.index], configuration))
        home = Home(context)
        returns = Returns(context)
        context.take = { [unowned self] in self.take($0) }
        context.homeRoom = { [unowned home] in home.rooms[$0] }
    }

    deinit {
        context.hub.questions.end(of: context.loop.index)
    }

    /// The store can store again: what it has refused is given to it once more. Called from any thread.
    package static func storeIsGood(_ mailboxes: [any RelayMailbox]) {
        for mailbox in mailboxes {
            mailbox.insist(.homes(.storeIsGood))
            mailbox.insist(.edge(.storeIsGood))
        }
    }

    /// What is due goes out. To be called at the end of each turn of the loop.
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
        }
    }

    package var reading: RelayReading {
        RelayReading(
            totals: context.counters.totals, clients: edge.clients.count, rooms: home.rooms.count,
            roomsLoading: home.loading.count, roomsSettling: home.settling.count, lostClients: returns.lost.count,
            tickMilliseconds: context.hub.tickIntervals[context.loop.index].value)
    }
}

/// What the three parts of a shard's relay share.
final class RelayContext {
    let loop: any RelayLoop
    let mailboxes: [any RelayMailbox]
    let hub: RelayHub
    let configuration: RelayConfiguration
    let counters = RelayCounters()
    /// Hands a message to the part of this shard that it is for.
    fileprivate var take: (RelayMessage) -> Void = { _ in }
    /// Messages to this shard that wait for the end of what is being done.
    private var waiting = Fifo<RelayMessage>()
    private var isBusy = false
    /// A room whose home is this shard: touches of its members on this shard go to it without a message.
    fileprivate(set) var homeRoom: (RoomID) -> HomeRoom? = { _ in nil }
    /// It begins anywhere: clients that come back after a restart name memberships of the server before.
    private var nextMembership: UInt64

    init(
        _ loop: any RelayLoop, _ mailboxes: [any RelayMailbox], _ hub: RelayHub, _ configuration: RelayConfiguration
    ) {
        self.loop = loop
        self.mailboxes = mailboxes
        nextMembership = loop.randomNumber() >> 17
        self.hub = hub
        self.configuration = configuration
    }

    /// Does something as a whole: messages to this shard that come of it arrive after it, as those to other shards do.
    func asOne(_ body: () -> Void) {
        guard !isBusy else { return body() }
        isBusy = true
        body()
        while let message = waiting.takeFirst() { take(message) }
        isBusy = false
    }

    /// Whether messages to this shard wait: what must not overtake them goes behind them.
    var isWaiting: Bool { !waiting.isEmpty }

    func deliver(_ message: RelayMessage) {
        waiting.append(message)
        asOne {}
    }

    /// A number that no other membership has, on whichever shard.
    func takeMembershipNumber() -> UInt64 {
        defer { nextMembership += 1 }
        return UInt64(loop.index) << 48 | nextMembership & (1 << 48 - 1)
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
    /// Other threads answer this shard through it.
    var mailbox: any RelayMailbox { context.mailboxes[loop.index] }

    func homeShard(of room: RoomID) -> Int { room.homeShard(of: context.mailboxes.count) }

    /// Sends a message to a shard. Answers false when that shard takes nothing more.
    ///
    /// - Parameter insists: whether a full mailbox takes the message, too. Of such messages there are no more than clients,
    ///   rooms and questions, which are bounded.
    @discardableResult
    func send(_ message: RelayMessage, to index: Int, insists: Bool = false) -> Bool {
        guard index != loop.index else {
            context.deliver(message)
            return true
        }
        return insists ? context.mailboxes[index].insist(message) : context.mailboxes[index].post(message)
    }

    /// Tells a client something. A client is told no more than it has asked for.
    func tell(_ connection: ConnectionID, _ message: ClientMessage) {
        send(.client(connection, message), to: connection.shard, insists: true)
    }

    /// Tells the shard something that a `pid` names.
    func tell(_ pid: SessionID, _ message: ReturnsMessage) {
        send(.returns(message), to: pid.shard, insists: true)
    }
}
