import Rooms
import Sessions
import Transport
import Wire

/// The edge of the relay on one shard: its clients, the replicas of their rooms, and everything that is written to the
/// clients.
package final class Edge: RelayPart {
    let context: RelayContext
    let loop: any RelayLoop
    let admissions: AdmissionDesk
    private(set) var clients: [UInt64: RelayClient] = [:]
    private var people = PeopleIndex()
    /// Connections that are not Socket.IO's, if there are any.
    package weak var otherConnections: (any PersonalConnections)?
    /// Rooms with members on this shard.
    var locals: [RoomID: LocalRoom] = [:]
    /// Clients that wait for an answer of the directory.
    var lookups = Numbered<Entry>()
    /// Clients that wait for the answer to their claim of a `pid`.
    var claimants: Numbered<Claimant>
    /// Clients that have joined rooms and wait for the states. The rooms take turns.
    var welcomes = RoundRobin<RoomID, Welcome>()
    /// Whether this turn has written as many bytes of states as it may.
    var isWelcomingLater = false
    /// How many rooms clients ask again in a moment.
    var laterCount = 0
    /// Clients that were to be told a room's state when the room lost its home: they enter again instead.
    var outdated: Set<UInt64> = []
    /// Clients whose seats must be sent to the store again.
    var unseated: [UInt64] = []
    /// How often this node was taken for dead, as far as this shard knows.
    var lapses = 0
    let seatTimer = LoopTimer()
    private var nextConnection: UInt64
    /// Touches for rooms of other shards and other nodes, by the shard that gets them.
    let dispatches: [TouchDispatch]

    init(_ context: RelayContext, _ admissions: AdmissionDesk) {
        self.context = context
        self.admissions = admissions
        loop = context.loop
        // A late message for a connection or a claim of an earlier life of this node must not reach a new one.
        nextConnection = context.hub.cluster == nil ? 1 : context.loop.randomNumber() >> 18
        claimants = Numbered(after: context.hub.cluster == nil ? 0 : context.loop.randomNumber() >> 1)
        dispatches = context.mailboxes.map { _ in TouchDispatch() }
        admissions.admitted = { [unowned self] in self.admit($0, $1, $2) }
    }

    // MARK: Messages

    func receive(_ message: ClientMessage, _ connection: ConnectionID) {
        guard let client = clients[connection.number] else { return }
        switch message {
        case .entered(let purpose, let room, let home, let answer): entered(client, purpose, room, home, answer)
        case .notEntered(let purpose, let room, let error): notEntered(client, purpose, room, error)
        case .enterLater(let room, let milliseconds): goOnLater(client, room, in: milliseconds)
        case .lookUpAgain(let entry): lookUp(client, entry)
        case .changed(let call, let outcome): accept(client, call, outcome.ackMembers)
        case .refused(let event, let call, let error): refuse(client, event.rawValue, error, call)
        case .left(let call, let error):
            if let error { refuse(client, ClientEvent.roomLeave.rawValue, error, call) } else { accept(client, call) }
        case .evicted(let room, let reason, let error): evicted(client, room, reason: reason, error)
        }
    }

    func receive(_ message: EdgeMessage) {
        switch message {
        case .welcomeMore: isWelcomingLater = false
        case .delta(let room, let delta): apply(delta, room)
        case .giveUp(let room, let home):
            if let local = locals[room] { giveUp(local) }
            sendHome(.home(room, .gaveUp(.shard(loop.index))), to: home, insists: true)
        case .resync(let room): resync(room)
        case .lookedUp(let number, let answer): lookedUp(number, answer)
        case .takeOver(let connection, let claim): takeOver(connection, claim)
        case .claimAnswered(let number, let lost): claimAnswered(number, lost)
        case .standAgain(let connection, let removal): standAgain(connection, removal)
        case .order(let order, let question): hub.questions.answer(question, .count(obey(order)))
        case .personal(let event): tell(event)
        case .storeIsGood: sitAll()
        case .verified(let number, let result): admissions.verified(number, result)
        }
    }

    private func tell(_ event: PersonalEvent) {
        otherConnections?.tell(event)
        guard configuration.tellsPersonalEvents || event.isOfRooms else { return }
        for client in clients(of: event.person) { client.socket.emit(event.name, event.argument) }
    }

    // MARK: Clients

    func clients(of person: String) -> [RelayClient] { people[person].compactMap { clients[$0] } }

    package func connected(_ socket: any RelaySocket) {
        context.asOne { begin(socket) }
    }

    private func begin(_ socket: any RelaySocket) {
        guard let admission = socket.state as? Admission else { preconditionFailure("a client that nobody let in") }
        let id = ConnectionID(node: hub.node, shard: loop.index, number: nextConnection)
        nextConnection += 1
        let client = RelayClient(id, admission, socket, configuration, hub.flow, on: loop)
        clients[id.number] = client
        people.add(id.number, of: client.person.id)
        socket.state = client
        admissions.watch(admission, socket)
        goOn(client)
    }

    package func disconnected(_ socket: any RelaySocket, _ reason: DisconnectReason) {
        context.asOne { end(socket, reason) }
    }

    private func end(_ socket: any RelaySocket, _ reason: DisconnectReason) {
        guard let client = socket.state as? RelayClient else { return }
        socket.state = nil
        admissions.forget(client.admission)
        if reason == .clientNamespaceDisconnect { admissions.left(client.admission, client.session) }
        clients[client.id.number] = nil
        people.remove(client.id.number, of: client.person.id)
        client.flow.end(now: loop.now)
        let remains = remains(of: client)
        let leaving = reason == .clientNamespaceDisconnect ? Leaving.forGood : .lost
        for membership in client.memberships { drop(client, from: membership.room) }
        for room in client.rooms {
            tellHome(of: room, .leave(client.id, leaving), insists: true)
        }
        client.memberships = []
        for room in client.joining { client.joinAnswered(room) }
        client.resuming = [:]
        for farewell in client.farewells { farewell.room.remove(client) }
        client.farewells = []
        ended(client, remains, reason)
    }

    package func drained(_ socket: any RelaySocket) {
        guard let client = socket.state as? RelayClient else { return }
        for membership in client.memberships { membership.room.deliver(to: client) }
        if !client.farewells.isEmpty { bidFarewell(client) }
    }

    package func draining(_ socket: any RelaySocket, closesInMilliseconds milliseconds: Int) {
        socket.emit("server:draining", Array("{\"reconnectIn\":\(milliseconds)}".utf8))
    }

    func drop(_ client: RelayClient, from room: LocalRoom) {
        room.remove(client)
        if room.isEmpty, locals[room.id] === room { locals[room.id] = nil }
    }

    // MARK: Homes

    /// Sends a message to a room's home, after the touches that came before it. Returns false when the home's shard
    /// takes no more.
    @discardableResult
    func tellHome(of room: RoomID, _ message: HomeMessage, insists: Bool = false) -> Bool {
        let home = homeShard(of: room)
        guard sendTouches(to: home, insists: insists) else { return false }
        return sendHome(.home(room, message), to: home, insists: insists)
    }

    /// Sends a message to the homes of a shard, behind those that other shards have sent there.
    @discardableResult
    func sendHome(_ message: RelayMessage, to shard: Int, insists: Bool) -> Bool {
        guard shard == loop.index else { return send(message, to: shard, insists: insists) }
        context.deliverInOrder(message)
        return true
    }

    // MARK: Deltas

    private func apply(_ delta: RoomDelta, _ id: RoomID) {
        guard let room = locals[id] else { return }
        guard room.apply(delta, at: loop.now) else { return giveUp(room) }
        if room.isOver { retire(room) }
    }

    /// This shard lacks a delta of the room. Its members come back and get the whole state.
    private func giveUp(_ room: LocalRoom) {
        locals[room.id] = nil
        for client in room.members { client.session.close(.slowReader) }
    }
}
