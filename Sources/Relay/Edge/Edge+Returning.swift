import Rooms
import Sessions
import Store
import Transport
import Wire

/// Clients that come back after their connection was lost, as the edge sees them.
///
/// A client shows the `pid` of its lost connection. The edge claims it from the shard that the `pid` names (`Returns`). With
/// what that answers the client connects, and enters its rooms again.
extension Edge {
    /// A client whose claim is being looked into.
    struct Claimant {
        let request: any RelayConnect
        let admission: Admission
        let offset: LogOffset?
    }

    // MARK: Before a client has connected

    package func admit(_ request: any RelayConnect, _ admission: Admission, _ payload: RecoveryPayload?) {
        let session = request.relaySocket.relaySession
        guard configuration.recoveryMilliseconds > 0, session.canReturn else { return request.proceed(as: nil) }
        guard let payload, payload.pid.shard < context.mailboxes.count else {
            return proceed(Claimant(request: request, admission: admission, offset: nil), nil)
        }
        let claimant = Claimant(request: request, admission: admission, offset: payload.offset)
        let claim = RecoveryClaim(
            pid: payload.pid, person: admission.person.id, opened: session.opened,
            offset: payload.offset, shard: loop.index, number: claimants.begin(claimant))
        if !send(.returns(.claim(claim)), to: claim.pid.shard) { claimAnswered(claim.number, nil) }
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
        let pid = lost?.pid ?? SessionID(shard: loop.index, using: &random)
        admission.pid = pid
        admission.recovery = lost.map { Admission.Comeback($0, claimant.offset) }
        request.proceed(as: SocketIdentity(sid: lost?.sid ?? request.relaySocket.identity.sid, pid: pid))
        // The client may have gone while its claim was looked into. What it did not get is for its next connection.
        guard let lost, admission.recovery != nil, !request.relaySocket.relaySession.isOpen else { return }
        admission.recovery = nil
        tell(lost.pid, .givenBack(lost))
    }

    // MARK: Connections

    /// A client has connected: as a new one, or as one that it was before.
    func goOn(_ client: RelayClient) {
        guard let pid = client.admission.pid else { return }
        if let comeback = client.admission.recovery {
            let (lost, offset) = (comeback.lost, comeback.offset)
            client.admission.recovery = nil
            counters.totals.recoveries += 1
            if client.wantsOffsets {
                client.trail = lost.trail
                client.trail.rewind(to: offset)
            }
            for room in lost.rooms where client.socket.isConnected { goOn(client, room) }
            for ending in lost.endings where client.socket.isConnected {
                if client.trail.cursor(of: ending.membership) == ending.seq { continue }
                tellEnding(of: ending.id, ending.argument, to: client)
            }
        }
        // Only now: a claim that waits may take the connection over at once, with its rooms.
        tell(pid, .connected(pid, client.socket.isConnected ? client.id : nil))
    }

    /// - Parameter isPaid: whether what the client is to be told was charged before and could not be given.
    func goOn(_ client: RelayClient, _ room: ReturningRoom, isPaid: Bool = false) {
        client.resuming[room.id] = room
        enter(client, room.id, .goOn(room, since: client.trail.cursor(of: room.membership)), isPaid: isPaid)
    }

    /// The client keeps its place among those that come back, and waits for its budget.
    func goOnLater(_ client: RelayClient, _ room: ReturningRoom, in milliseconds: Int) {
        let timer = LoopTimer { [unowned self, weak client] in
            guard let client, client.socket.isConnected, client.resuming[room.id] != nil else { return }
            self.goOn(client, room)
        }
        loop.arm(timer, in: milliseconds)
    }

    /// What a client can go on with when it loses its connection now.
    func remains(of client: RelayClient) -> LostClient? {
        guard let pid = client.admission.pid else { return nil }
        var rooms = client.memberships.map {
            ReturningRoom(id: $0.room.id, incarnation: $0.room.incarnation, membership: $0.number)
        }
        for id in client.joining where !rooms.contains(where: { $0.id == id }) {
            rooms.append(client.resuming[id] ?? .afresh(id))
        }
        return LostClient(
            sid: client.socket.identity.sid, pid: pid, person: client.person.id, opened: client.session.opened,
            rooms: rooms, endings: client.endings, trail: client.trail)
    }

    /// A client's connection has ended, and its rooms have been told. `remains` are those of the moment before.
    func ended(_ client: RelayClient, _ remains: LostClient?, _ reason: DisconnectReason) {
        guard let remains else { return }
        let isKept = reason.mayBeReturnedFrom && !client.isTakenOver
        if isKept {
            hub.store?.lose(remains.pid.description)
        } else if !client.isTakenOver {
            stand(client)
        }
        tell(remains.pid, .ended(remains.pid, client.id, isKept ? remains : nil))
    }

    /// A client has given a connection up before the server has: the claim ends it.
    func takeOver(_ connection: ConnectionID, _ claim: RecoveryClaim) {
        guard let client = clients[connection.number] else {
            // It was lost just now, and what it leaves is on its way.
            return tell(claim.pid, .claimAgain(claim))
        }
        guard client.person.id.isExactly(claim.person), client.session.opened < claim.opened,
            let lost = remains(of: client)
        else {
            send(.edge(.claimAnswered(claim.number, nil)), to: claim.shard, insists: true)
            return tell(claim.pid, .settled(claim.pid))
        }
        client.isTakenOver = true
        client.session.close(.transportClose)
        send(.edge(.claimAnswered(claim.number, lost)), to: claim.shard, insists: true)
    }

    // MARK: Seats

    /// Has the store remember in which room a connection is, for a client that comes back after a restart.
    func sit(_ client: RelayClient, in room: LocalRoom) {
        guard let store = hub.store, let pid = client.admission.pid else { return }
        store.sit(
            Seat(
                pid: pid.description, person: client.person.id, room: room.id.text, incarnation: room.incarnation))
    }

    /// The store has lost the seats that were taken while it failed. A client that came back to some of its rooms only
    /// would wait in vain for the others.
    func sitAll() {
        guard hub.store != nil else { return }
        unseated = clients.keys.sorted()
        sitSome()
    }

    /// Not all at once: the store has rooms to store first.
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

    /// A connection is not in a room any more; without a room, in none. With a `call` the client is told once a restart
    /// cannot bring it back there.
    func stand(_ client: RelayClient, in roomID: RoomID? = nil, answering call: SocketCall? = nil) {
        guard let store = hub.store, let pid = client.admission.pid else {
            if let call { accept(client, call) }
            return
        }
        let (connection, mailbox) = (client.id, mailbox)
        store.stand(pid.description, in: roomID?.text) { result in
            guard let call else { return }
            var error: RoomError?
            if case .failure = result { error = Self.leaveNotStored }
            mailbox.insist(RelayMessage.client(connection, .left(call, error)))
        }
    }

    private static let leaveNotStored = RoomError(
        .server, "You have left the room, but this could not be stored: a restart of the server may bring you back.")
}

extension DisconnectReason {
    /// Whether it is not for good: neither did the client leave nor was it sent away.
    fileprivate var mayBeReturnedFrom: Bool {
        switch self {
        case .clientNamespaceDisconnect, .serverNamespaceDisconnect, .forcedServerClose, .tooManyPackets: false
        case .transportClose, .transportError, .pingTimeout, .parseError, .forcedClose, .slowReader,
            .serverShuttingDown:
            true
        }
    }
}
