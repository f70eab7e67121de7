import Rooms
import Sessions
import Store
import Transport
import Wire

/// Clients that come back after their connection was lost, on the edge.
///
/// A client shows the `pid` of its lost connection. The edge claims it from the shard that the `pid` names (`Returns`).
/// With the answer the client connects, and enters its rooms again.
extension Edge {
    /// A client that waits for the answer to its claim.
    struct Claimant {
        let request: any RelayConnect
        let admission: Admission
        /// Nil for a client that does not come back.
        let pid: SessionID?
        let offset: LogOffset?
        /// Set while another node is asked.
        var isAskedAt: Int?
    }

    // MARK: Before a client has connected

    package func admit(_ request: any RelayConnect, _ admission: Admission, _ payload: RecoveryPayload?) {
        let session = request.relaySocket.relaySession
        guard configuration.recoveryMilliseconds > 0, session.canReturn else { return request.proceed(as: nil) }
        guard let payload else {
            return proceed(Claimant(request: request, admission: admission, pid: nil, offset: nil), nil)
        }
        var claimant = Claimant(
            request: request, admission: admission, pid: payload.pid, offset: payload.offset)
        if payload.pid.node != hub.node, context.life(of: payload.pid.node) != nil {
            claimant.isAskedAt = payload.pid.node
        }
        claim(claimant)
    }

    private func claim(_ claimant: Claimant) {
        guard let pid = claimant.pid else { return proceed(claimant, nil) }
        let session = claimant.request.relaySocket.relaySession
        let claim = RecoveryClaim(
            pid: pid, person: claimant.admission.person.id, opened: session.opened, offset: claimant.offset,
            node: hub.node, shard: loop.index, number: claimants.begin(claimant))
        if let node = claimant.isAskedAt {
            context.post(.returns(.claim(claim)), to: node)
        } else if !send(.returns(.claim(claim)), to: returnsShard(of: pid)) {
            claimAnswered(claim.number, nil)
        }
    }

    func receive(_ message: PeerMessage) {
        switch message {
        case .established(let node, _): tellConnections(of: node)
        case .lost(let node):
            tellConnections(of: node)
            lost(node)
        // Other nodes may have taken the connections of this one for lost.
        case .lapsed(let count):
            lapses = count
            for client in clients.values { client.mayBeElsewhere = true }
            sitAll()
        }
    }

    /// From now on others look into the claims of a node's `pid`s: the node itself, which may have been started anew, or, while it is
    /// lost, a shard of this node in its place. They are told where the clients are that this edge has.
    private func tellConnections(of node: Int) {
        let told = clients.values.filter { $0.admission.pid?.node == node }
        for client in told.sorted(by: { $0.id.number < $1.id.number }) {
            guard let pid = client.admission.pid else { continue }
            tell(pid, .connected(pid, client.id))
        }
    }

    /// A node is lost that was to answer claims, or to which a claim was passed on. The store knows which of its clients may come back.
    private func lost(_ node: Int) {
        for number in claimants.numbers(where: { $0.isAskedAt == node || $0.pid?.node == node }) {
            guard var claimant = claimants.end(number) else { continue }
            claimant.isAskedAt = nil
            claim(claimant)
        }
    }

    func claimAnswered(_ number: UInt64, _ lost: LostClient?) {
        guard let claimant = claimants.end(number) else {
            if let lost { tell(lost.pid, .givenBack(lost)) }
            return
        }
        if lost == nil { counters.totals.recoveriesRefused += 1 }
        proceed(claimant, lost)
    }

    private func proceed(_ claimant: Claimant, _ lost: LostClient?) {
        let (request, admission) = (claimant.request, claimant.admission)
        var random = random
        let pid = lost?.pid ?? SessionID(node: hub.node, shard: loop.index, using: &random)
        admission.pid = pid
        admission.recovery = lost.map { Admission.Comeback($0, claimant.offset) }
        request.proceed(as: SocketIdentity(sid: lost?.sid ?? request.relaySocket.identity.sid, pid: pid))
        // The client may have gone before the answer. Then its next connection needs what this one did not get.
        guard let lost, admission.recovery != nil, !request.relaySocket.relaySession.isOpen else { return }
        admission.recovery = nil
        tell(lost.pid, .givenBack(lost))
    }

    // MARK: Connections

    /// A client has connected: as a new one, or as one that came back.
    func goOn(_ client: RelayClient) {
        guard let pid = client.admission.pid else { return }
        if let comeback = client.admission.recovery {
            let (lost, offset) = (comeback.lost, comeback.offset)
            client.admission.recovery = nil
            counters.totals.recoveries += 1
            if client.form.contains(.offsets) {
                client.trail = lost.trail
                client.trail.rewind(to: offset)
            }
            for room in lost.rooms where client.socket.isConnected { goOn(client, room) }
            for ending in lost.endings where client.socket.isConnected {
                if client.trail.cursor(of: ending.membership) == ending.seq { continue }
                tellEnding(of: ending.id, ending.argument, to: client)
            }
        }
        // This comes last: a waiting claim may take over the connection at once, with its rooms.
        tell(pid, .connected(pid, client.socket.isConnected ? client.id : nil))
    }

    /// - Parameter isPaid: whether an earlier answer was charged and could not be given.
    func goOn(_ client: RelayClient, _ room: ReturningRoom, isPaid: Bool = false) {
        client.resuming[room.id] = room
        enter(
            client, room.id, .goOn(room, since: room.since ?? client.trail.cursor(of: room.membership)), isPaid: isPaid)
    }

    /// The client keeps its place in the room as one that comes back, and waits for its budget.
    func goOnLater(_ client: RelayClient, _ room: ReturningRoom, in milliseconds: Int) {
        laterCount += 1
        let timer = LoopTimer { [unowned self, weak client] in
            self.laterCount -= 1
            guard let client, client.socket.isConnected, client.resuming[room.id] != nil else { return }
            self.goOn(client, room)
        }
        loop.arm(timer, in: milliseconds)
    }

    /// The state with which a client can continue if it loses its connection now.
    func remains(of client: RelayClient) -> LostClient? {
        guard let pid = client.admission.pid else { return nil }
        var rooms = client.memberships.map {
            ReturningRoom(id: $0.room.id, incarnation: $0.room.incarnation, membership: $0.number)
        }
        for id in client.joining where !rooms.contains(where: { $0.id == id }) {
            var room = client.resuming[id] ?? .afresh(id)
            // A new connection may not have got what was sent on this one.
            room.since = nil
            rooms.append(room)
        }
        return LostClient(
            sid: client.socket.identity.sid, pid: pid, person: client.person.id, opened: client.session.opened,
            rooms: rooms, endings: client.endings, trail: client.trail)
    }

    /// A client's connection has ended, and its rooms have been told. `remains` was taken before that.
    func ended(_ client: RelayClient, _ remains: LostClient?, _ reason: DisconnectReason) {
        guard let remains else { return }
        let isKept = reason.mayBeReturnedFrom && !client.isTakenOver
        if isKept {
            hub.store?.lose(remains.pid.description)
        } else if !client.isTakenOver {
            stand(client)
        }
        // What may be out of date is not told: then the store says with what the client continues.
        tell(remains.pid, .ended(remains.pid, client.id, isKept && !client.mayBeElsewhere ? remains : nil))
    }

    /// The client of this connection has come back on another one before the server noticed the loss. The claim ends
    /// this connection.
    func takeOver(_ connection: ConnectionID, _ claim: RecoveryClaim) {
        guard let client = clients[connection.number] else {
            // The connection was lost just now, and its state is on the way to `Returns`.
            return tell(claim.pid, .claimAgain(claim))
        }
        // Otherwise the node of the `pid` answers. A third node would not hear that the answer was lost on its way from here.
        let isReached = claim.node == hub.node || context.life(of: claim.node) != nil && !isOfThird(claim)
        guard client.person.id.isExactly(claim.person), client.session.opened < claim.opened,
            let lost = remains(of: client)
        else {
            guard isReached else { return tell(claim.pid, .claimAgain(claim)) }
            tell(node: claim.node, shard: claim.shard, .claimAnswered(claim.number, nil))
            return tell(claim.pid, .settled(claim.pid))
        }
        guard isReached, !client.mayBeElsewhere else {
            client.session.close(.transportClose)
            return tell(claim.pid, .claimAgain(claim))
        }
        client.isTakenOver = true
        client.session.close(.transportClose)
        tell(node: claim.node, shard: claim.shard, .claimAnswered(claim.number, lost))
    }

    /// Whether a claim was made at another node, and is looked into by yet another one.
    private func isOfThird(_ claim: RecoveryClaim) -> Bool {
        ![claim.node, hub.node].contains(claim.pid.node) && context.life(of: claim.pid.node) != nil
    }

    // MARK: Seats

    /// Stores in which room a connection is, for a client that comes back after a restart. One that may be at another node by now
    /// does not take its seat from there.
    func sit(_ client: RelayClient, in room: LocalRoom) {
        guard let store = hub.store, let pid = client.admission.pid else { return }
        store.sit(
            Seat(
                pid: pid.description, person: client.person.id, room: room.id.text, incarnation: room.incarnation),
            claim(of: client))
    }

    private func claim(of client: RelayClient) -> SeatClaim {
        guard let cluster = hub.cluster else { return .firm }
        return client.mayBeElsewhere ? .weak : .under(boot: cluster.node.boot, lapses: lapses)
    }

    /// The store has lost the seats that were sent while it failed. All are sent again: a client that came back to only
    /// some of its rooms would miss the others.
    func sitAll() {
        guard hub.store != nil else { return }
        unseated = clients.keys.sorted()
        sitSome()
    }

    /// Not all at once, because the store has to store rooms first.
    private func sitSome() {
        for number in unseated.suffix(Self.seatsAtOnce) {
            guard let client = clients[number] else { continue }
            for membership in client.memberships { sit(client, in: membership.room) }
        }
        unseated.removeLast(min(unseated.count, Self.seatsAtOnce))
        guard !unseated.isEmpty else { return }
        seatTimer.fire = { [unowned self] in self.sitSome() }
        loop.arm(seatTimer, in: Self.seatPauseMilliseconds)
    }

    private static let seatsAtOnce = 500
    private static let seatPauseMilliseconds = 100

    /// Deletes the seat of a connection in a room; without a room, all its seats. With a `call` the client gets its ack
    /// once a restart cannot bring it back to the room.
    func stand(_ client: RelayClient, in roomID: RoomID? = nil, answering call: SocketCall? = nil) {
        guard hub.store != nil, let pid = client.admission.pid else {
            if let call { accept(client, call) }
            return
        }
        let (connection, mailbox) = (client.id, mailbox)
        remove(SeatRemoval(pid: pid, room: roomID, connection: connection)) { isStored in
            guard let call else { return }
            mailbox.insist(RelayMessage.client(connection, .left(call, isStored ? nil : Self.leaveNotStored)))
        }
    }

    /// The store could not delete a seat of a connection of this shard.
    func standAgain(_ connection: ConnectionID, _ removal: SeatRemoval) {
        // A connection that has ended has told `Returns`, which then decides by itself.
        guard let client = clients[connection.number] else {
            return tell(removal.pid, .notStood(SeatRemoval(pid: removal.pid, room: removal.room)))
        }
        // All its seats were to be deleted because the client had gone for good. It has come back with them from the store: in a
        // cluster another node may have taken the one that gave it up for dead.
        guard let room = removal.room, !client.isComing(to: room) else { return }
        remove(removal)
    }

    private static let leaveNotStored = RoomError(
        .server, "You have left the room, but this could not be stored: a restart of the server may bring you back.")
}

extension DisconnectReason {
    /// Whether the client may come back: it did not leave, and the server did not disconnect it for good.
    fileprivate var mayBeReturnedFrom: Bool {
        switch self {
        case .clientNamespaceDisconnect, .serverNamespaceDisconnect, .forcedServerClose, .tooManyPackets: false
        case .transportClose, .transportError, .pingTimeout, .parseError, .forcedClose, .slowReader,
            .serverShuttingDown, .displaced:
            true
        }
    }
}
