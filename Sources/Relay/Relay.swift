import Identity
import Rooms
import Sessions
import Transport
import Wire

/// The rooms' relay on one shard: its clients, its replicas of rooms, and the rooms whose home it is.
public final class Relay: NamespaceHandler {
    /// The shard keeps its relay in turn, until it stops.
    public let shard: Shard
    let configuration: RelayConfiguration
    let authentication: Authentication
    var clients: [UInt64: RelayClient] = [:]
    /// Rooms with members on this shard.
    var locals: [RoomID: LocalRoom] = [:]
    /// Rooms that this shard orders.
    var homes: [RoomID: HomeRoom] = [:]
    /// Closed rooms of this shard that are not stored to their end yet.
    var settling: [RoomID: HomeRoom] = [:]
    /// Rooms of this shard that are being read, or will be once they have settled.
    var loading: [RoomID: LoadingRoom] = [:]
    /// Clients of this shard about whom the directory has been asked.
    var lookups = Lookups()
    private var dirty: [HomeRoom] = []
    private var nextConnection: UInt64 = 1
    private var nextMembership: UInt64 = 1
    let recovery = Recovery()
    /// Clients of this shard who have joined rooms and are told their states in turn.
    var welcomes = RoundRobin<RoomID, Welcome>()
    /// Whether this turn has written as many bytes of states as it may.
    var isWelcomingLater = false
    let hub: RelayHub
    let counters = RelayCounters()
    private var pace: TickPace
    /// Touches for rooms of other shards, by shard.
    private let dispatches: [TouchDispatch]

    public init(shard: Shard, hub: RelayHub, configuration: RelayConfiguration, verifier: any TokenVerifier) {
        self.shard = shard
        self.hub = hub
        self.configuration = configuration
        pace = TickPace(configuration.tickMilliseconds)
        authentication = Authentication(verifier, shard: shard, configuration: configuration)
        dispatches = shard.mailboxes.map { _ in TouchDispatch() }
        shard.keep(self)
        shard.turnEnding = { [unowned self] in self.endTurn() }
        shard.loadMeasured = { [unowned self] in self.adaptPace(to: $0) }
        adaptPace(to: 0)
        prepareRecovery()
    }

    /// Opens a namespace whose clients are let in by their tokens and use rooms.
    public func open(_ name: String, on server: SocketServer) {
        let namespace = server.open(name, self)
        namespace.use { [unowned self] in self.checkRate(of: $0) }
        namespace.use { [unowned self] in self.authentication.check($0) }
    }

    /// The events are checked here, in the one pass that reads their fields.
    public var checksArguments: Bool { true }

    var now: Moment { Moment(monotonic: shard.now, unixSeconds: shard.unixSeconds) }

    // MARK: Clients

    public func connected(_ socket: Socket) {
        guard let admission = socket.state as? Admission else { preconditionFailure("a client that nobody let in") }
        let id = ConnectionID(shard: shard.index, number: nextConnection)
        nextConnection += 1
        let client = RelayClient(id, admission, socket, configuration, hub.flow)
        clients[id.number] = client
        socket.state = client
        authentication.watch(admission, socket)
        begin(client)
    }

    func takeMembershipNumber() -> UInt64 {
        defer { nextMembership += 1 }
        return UInt64(shard.index) << 48 | nextMembership
    }

    public func disconnected(_ socket: Socket, _ reason: DisconnectReason) {
        guard let client = socket.state as? RelayClient else { return }
        socket.state = nil
        authentication.forget(client.admission)
        if reason == .clientNamespaceDisconnect { authentication.left(client.admission, client.session) }
        clients[client.id.number] = nil
        client.flow.end(now: shard.now)
        let remains = remains(of: client)
        let leaves = reason == .clientNamespaceDisconnect
        let connection = client.id
        for membership in client.memberships { drop(client, from: membership.room) }
        for room in client.joining.union(client.memberships.map(\.room.id)) {
            atHome(room, insists: true) { relay, home in
                guard let home else { return relay.forgetJoin(of: connection, room) }
                relay.left(connection, home, forGood: leaves)
            }
        }
        client.memberships = []
        client.joining = []
        client.resuming = [:]
        for farewell in client.farewells { farewell.room.remove(client) }
        client.farewells = []
        end(client, remains, reason)
    }

    public func drained(_ socket: Socket) {
        guard let client = socket.state as? RelayClient else { return }
        for membership in client.memberships { membership.room.deliver(to: client) }
        if !client.farewells.isEmpty { bidFarewell(client) }
    }

    public func draining(_ socket: Socket, closesInMilliseconds milliseconds: Int) {
        socket.emit("server:draining", Array("{\"reconnectIn\":\(milliseconds)}".utf8))
    }

    func drop(_ client: RelayClient, from room: LocalRoom) {
        room.remove(client)
        if room.isEmpty, locals[room.id] === room { locals[room.id] = nil }
    }

    // MARK: Homes

    func homeShard(of roomID: RoomID) -> Int { roomID.homeShard(of: shard.mailboxes.count) }

    /// Runs a job on the shard that orders a room; nil is given when there is no such room.
    ///
    /// Answers false when that shard takes nothing more, which it does all the same for who insists.
    @discardableResult
    func atHome(
        _ roomID: RoomID, insists: Bool = false, _ job: @escaping @Sendable (Relay, HomeRoom?) -> Void
    ) -> Bool {
        let home = homeShard(of: roomID)
        guard home != shard.index else {
            job(self, homes[roomID])
            return true
        }
        sendTouches(to: home, insists: insists)
        return post(to: home, insists: insists) { relay in job(relay, relay.homes[roomID]) }
    }

    /// Runs a job with a client on the shard that has its connection; not at all when the client has gone.
    func atClient(_ connection: ConnectionID, _ job: @escaping @Sendable (Relay, RelayClient) -> Void) {
        guard connection.shard != shard.index else {
            if let client = clients[connection.number] { job(self, client) }
            return
        }
        // Of what clients are told there is no more than they have asked for.
        post(to: connection.shard, insists: true) { relay in
            if let client = relay.clients[connection.number] { job(relay, client) }
        }
    }

    /// Runs a job on a shard whatever waits there.
    func insist(at index: Int, _ job: @escaping @Sendable (Relay) -> Void) {
        guard index != shard.index else { return job(self) }
        shard.mailboxes[index].insist { shard in
            if let relay = shard.local(Relay.self) { job(relay) }
        }
    }

    /// Runs a job on this shard in a turn to come.
    func insistLater(_ job: @escaping @Sendable (Relay) -> Void) {
        post(to: shard.index, insists: true, job)
    }

    /// Answers false when that shard takes nothing more.
    @discardableResult
    func post(to index: Int, insists: Bool = false, _ job: @escaping @Sendable (Relay) -> Void) -> Bool {
        let run: ShardMailbox.Job = { shard in
            if let relay = shard.local(Relay.self) { job(relay) }
        }
        return insists ? shard.mailboxes[index].insist(run) : shard.mailboxes[index].post(run)
    }

    // MARK: Touches between shards

    /// Ahead of the home's tick, so that what is sent is there in time: the wheel's grain, and the way.
    private static let dispatchLeadMilliseconds: Int64 = 4

    /// Takes a member's position for a room of another shard. It goes there when the room's next tick is near: at once
    /// where the room was quiet.
    func gatherTouch(
        of client: RelayClient, _ membership: RelayClient.Membership, x: Span<UInt8>, y: Span<UInt8>,
        elementID: Span<UInt8>
    ) {
        let (room, dispatch) = (membership.room, dispatches[membership.room.home])
        let isFirst = room.gather(of: client.id, slot: membership.slot, x: x, y: y, elementID: elementID)
        if isFirst {
            let interval = max(hub.tickIntervals[room.home].value, hub.tickIntervals[shard.index].value)
            let due = room.lastDeltaAt + Int64(interval) - Self.dispatchLeadMilliseconds
            // The turn's end sends what is due: the timer has only to bring one about.
            if due > shard.now, due < dispatch.dueAt { shard.arm(dispatch.timer, in: Int(due - shard.now)) }
            dispatch.add(room, due: due)
        }
        if dispatch.dueAt > shard.now { shard.noteWaiting() }
    }

    /// A shard that takes nothing more is asked again after a while.
    private static let dispatchRetryMilliseconds = 50

    /// All that goes to a shard goes in the order in which it came.
    private func sendTouches(to home: Int, insists: Bool = false) {
        let dispatch = dispatches[home]
        guard !dispatch.isEmpty else { return }
        shard.cancel(dispatch.timer)
        let taken = dispatch.take()
        let parcels = taken.map(\.parcel)
        let isPosted = post(to: home, insists: insists) { relay in
            for parcel in parcels { relay.receive(parcel) }
        }
        guard !isPosted else { return }
        for (room, parcel) in taken {
            room.putBack(parcel)
            dispatch.add(room, due: shard.now + Int64(Self.dispatchRetryMilliseconds))
        }
        shard.arm(dispatch.timer, in: Self.dispatchRetryMilliseconds)
    }

    /// What members' shards have accepted is taken also by a room that takes no more of it.
    private func receive(_ parcel: TouchParcel) {
        guard let home = homes[parcel.roomID] else { return }
        parcel.deliver(to: &home.room)
        home.activity.touches &+= parcel.count
        changed(home)
    }

    // MARK: Ticks

    /// Something has happened in a room: at once when it was quiet, otherwise with its next tick.
    func changed(_ home: HomeRoom) {
        guard !home.isQueued else { return shard.noteWaiting() }
        home.isQueued = true
        let wait = home.lastTickAt + tickInterval(of: home) - shard.now
        if wait <= 0 {
            dirty.append(home)
        } else {
            shard.arm(home.timer, in: Int(wait))
            shard.noteWaiting()
        }
    }

    /// The time of a room's next tick has come.
    func tickIsDue(_ home: HomeRoom) {
        dirty.append(home)
    }

    private func adaptPace(to load: Double) {
        pace.adapt(to: load)
        hub.tickIntervals[shard.index].set(Int(pace.milliseconds.rounded()))
    }

    /// A tick costs the shards on which the members are: the slowest of them sets the room's pace.
    func tickInterval(of home: HomeRoom) -> Int64 {
        var interval = hub.tickIntervals[shard.index].value
        for subscriber in home.subscribers { interval = max(interval, hub.tickIntervals[subscriber].value) }
        return Int64(interval)
    }

    private func endTurn() {
        for (home, dispatch) in dispatches.enumerated() where dispatch.dueAt <= shard.now { sendTouches(to: home) }
        if !dirty.isEmpty {
            let due = dirty
            dirty = []
            // One that was closed in this turn has been told of as far as it is to be.
            for home in due where homes[home.id] === home { tick(home) }
        }
        welcomeSome()
    }

    private func tick(_ home: HomeRoom) {
        // The room stays queued meanwhile: a client that is refused does not end it before all of it is stored.
        while !home.isTelling, let waiting = home.takeEntering() { waiting.job(self, .success(home)) }
        home.isQueued = false
        guard homes[home.id] === home else { return }
        home.lastTickAt = shard.now
        // All that belongs to this tick is taken before any of it goes out: a write that fails takes its client out of
        // the room at once, and that is the next tick's affair.
        let (delta, answers) = (home.room.takeDelta(), home.takeJoinAnswers())
        if let delta { publish(delta, of: home, to: home.subscribers) }
        store(home)
        home.countTick(delta, at: shard.now)
        for (join, answer) in answers { join.answer(.success(answer)) }
        if home.enteringCount > 0 { changed(home) }
        closeIfEmpty(home)
    }

    func publish(_ delta: RoomDelta, of home: HomeRoom, to subscribers: [Int]) {
        let id = home.id
        for subscriber in subscribers where subscriber != shard.index {
            if delta.isLast {
                insist(at: subscriber) { $0.apply(delta, id) }
            } else if home.behind[subscriber] != nil {
                home.behind[subscriber] = true
            } else if !post(to: subscriber, { $0.apply(delta, id) }) {
                home.behind[subscriber] = false
                giveUp(id, at: subscriber)
            }
        }
        if subscribers.contains(shard.index) { apply(delta, id) }
    }

    /// A shard takes nothing more, and lacks a delta: its members come back and are told the whole state.
    private func giveUp(_ id: RoomID, at subscriber: Int) {
        let home = shard.index
        insist(at: subscriber) { relay in
            if let room = relay.locals[id] { relay.abandon(room) }
            relay.insist(at: home) { relay in
                // Who has joined there since may lack what came in between.
                if relay.homes[id]?.behind.removeValue(forKey: subscriber) == true {
                    relay.homes[id]?.behind[subscriber] = false
                    relay.giveUp(id, at: subscriber)
                }
            }
        }
    }

    private func apply(_ delta: RoomDelta, _ id: RoomID) {
        guard let room = locals[id] else { return }
        guard room.apply(delta, at: shard.now) else { return abandon(room) }
        if room.isOver { retire(room) }
    }

    /// This shard could not be told of everything.
    private func abandon(_ room: LocalRoom) {
        locals[room.id] = nil
        for client in room.members { client.session.close(.slowReader) }
    }

    /// Nobody is in the room any more. Whoever comes finds the room as it is kept, once all of it is.
    func close(_ home: HomeRoom) {
        shard.cancel(home.timer)
        shard.cancel(home.graceTimer)
        homes[home.id] = nil
        home.gate.set(.closed)
        if home.isStored { forget(home) } else { settling[home.id] = home }
    }

    func forget(_ home: HomeRoom) {
        shard.cancel(home.storeTimer)
        home.countNothing()
        hub.keeper.store(home.room.contents, of: home.id.text)
    }

    /// Has the room look again when the next person's grace is over.
    func armGrace(_ home: HomeRoom) {
        guard let ends = home.room.nextGraceEnds else { return shard.cancel(home.graceTimer) }
        home.graceTimer.fire = { [unowned self, unowned home] in
            home.room.expireGraces(at: self.now)
            self.changed(home)
            self.armGrace(home)
        }
        shard.arm(home.graceTimer, in: Int(max(ends - shard.now, 1)))
    }
}
