import Rooms
import Sessions
import Transport
import Wire

/// Clients that go on where they were after their connection was lost.
///
/// A client's `pid` names a shard, which knows where the client's connection is or, once it is lost, what it goes on with.
/// A connection that shows the `pid`, on whichever shard, asks there. Its rooms then let it in as one that has the log up
/// to some entry; where that is not known, or the log does not reach back, the client is told the whole state.
extension Relay {
    func prepareRecovery() {
        authentication.admitted = { [unowned self] in self.admit($0, $1, $2) }
        recovery.timer.fire = { [unowned self] in
            self.recovery.lost.expire(at: self.shard.now)
            self.armLost()
        }
    }

    private func armLost() {
        guard let ends = recovery.lost.nextEnds else { return shard.cancel(recovery.timer) }
        guard !recovery.timer.isArmed else { return }
        shard.arm(recovery.timer, in: Int(max(ends - shard.now, 1)))
    }

    /// Runs a job on a shard. Answers false when that takes nothing more.
    private func at(_ index: Int, _ job: @escaping @Sendable (Relay) -> Void) -> Bool {
        guard index == shard.index else { return post(to: index, job) }
        job(self)
        return true
    }

    // MARK: Coming in

    private func admit(_ request: ConnectRequest, _ admission: Admission, _ payload: RecoveryPayload?) {
        guard configuration.recoveryMilliseconds > 0, request.socket.session.version == .v4 else {
            return request.proceed()
        }
        guard let payload else {
            return welcome(request, admission, nil, nil, hasClaimed: false)
        }
        let claim = RecoveryClaim(
            pid: payload.pid, person: admission.person.id, opened: request.socket.session.opened,
            offset: payload.offset, shard: shard.index, number: recovery.wait(request, admission, payload.offset))
        if !at(claim.pid.shard, { $0.look(claim) }) { answer(claim, nil) }
    }

    /// On the shard that the `pid` names.
    private func look(_ claim: RecoveryClaim) {
        if let others = recovery.claims[claim.pid], shard.now - others.since < Recovery.Claims.millisecondsMax {
            guard others.waiting.count < Recovery.Claims.waitingMax else { return answer(claim, nil) }
            recovery.claims[claim.pid]?.waiting.append(claim)
        } else if recovery.connections[claim.pid] != nil || recovery.lost.has(claim.pid) {
            recovery.beginClaims(on: claim.pid, at: shard.now)
            pursue(claim)
        } else if remember(claim, { $0.remembered($1, claim) }) {
            recovery.beginClaims(on: claim.pid, at: shard.now)
        } else {
            answer(claim, nil)
        }
    }

    /// The store has answered about a client that this server does not know.
    private func remembered(_ lost: LostClient?, _ claim: RecoveryClaim) {
        if let lost { answer(claim, lost) } else { refuse(claim) }
    }

    private func pursue(_ claim: RecoveryClaim, isSecondTime: Bool = false) {
        if let lost = recovery.lost.take(claim, at: shard.now) { return answer(claim, lost) }
        guard let connection = recovery.connections[claim.pid], !isSecondTime,
            at(connection.shard, { $0.takeOver(connection, claim) })
        else { return refuse(claim) }
    }

    private func refuse(_ claim: RecoveryClaim) {
        answer(claim, nil)
        insist(at: claim.pid.shard) { $0.settled(claim.pid) }
    }

    /// A claim has come to an end: the next one may be looked into.
    private func settled(_ pid: SessionID) {
        for claim in recovery.claims.removeValue(forKey: pid)?.waiting ?? [] { look(claim) }
    }

    /// On the shard of a connection that its client has given up before we have: the claim ends it.
    private func takeOver(_ connection: ConnectionID, _ claim: RecoveryClaim) {
        guard let client = clients[connection.number] else {
            // It was lost just now, and what it leaves is on its way.
            insist(at: claim.pid.shard) { $0.pursue(claim, isSecondTime: true) }
            return
        }
        guard client.person.id.isExactly(claim.person), client.socket.session.opened < claim.opened,
            let lost = remains(of: client)
        else { return refuse(claim) }
        client.isTakenOver = true
        client.socket.session.close(.transportClose)
        answer(claim, lost)
    }

    private func answer(_ claim: RecoveryClaim, _ lost: LostClient?) {
        insist(at: claim.shard) { relay in
            guard let waiting = relay.recovery.takeWaiting(claim.number) else {
                if let lost { relay.giveBack(lost) }
                return
            }
            relay.welcome(waiting.request, waiting.admission, lost, waiting.offset)
        }
    }

    private func welcome(
        _ request: ConnectRequest, _ admission: Admission, _ lost: LostClient?, _ offset: LogOffset?,
        hasClaimed: Bool = true
    ) {
        if lost == nil, hasClaimed { counters.totals.recoveriesRefused += 1 }
        let pid = lost?.pid ?? SessionID(shard: shard.index)
        admission.pid = pid
        admission.recovery = lost.map { Admission.Comeback($0, offset) }
        request.proceed(as: SocketIdentity(sid: lost?.sid ?? request.socket.identity.sid, pid: pid))
        // It may have gone while it was looked for. What it did not get is for its next connection.
        guard let lost, admission.recovery != nil, !request.socket.session.isOpen else { return }
        admission.recovery = nil
        giveBack(lost)
    }

    private func giveBack(_ lost: LostClient) {
        insist(at: lost.pid.shard) { relay in
            relay.keep(lost)
            relay.settled(lost.pid)
        }
    }

    // MARK: Connections

    /// A client has connected: as a new one, or as one that it was before.
    func begin(_ client: RelayClient) {
        guard let pid = client.admission.pid else { return }
        if let comeback = client.admission.recovery {
            let (lost, offset) = (comeback.lost, comeback.offset)
            client.admission.recovery = nil
            counters.totals.recoveries += 1
            if client.wantsOffsets {
                client.trail = lost.trail
                client.trail.rewind(to: offset)
            }
            for room in lost.rooms where client.socket.isConnected { resume(client, room) }
            for ending in lost.endings where client.socket.isConnected {
                if client.trail.cursor(of: ending.membership) == ending.seq { continue }
                tellEnding(of: ending.id, ending.argument, to: client)
            }
        }
        // Only now: a claim that waits may take it over at once, with its rooms.
        let (connection, isConnected) = (client.id, client.socket.isConnected)
        insist(at: pid.shard) { relay in
            if isConnected { relay.recovery.connections[pid] = connection }
            relay.settled(pid)
        }
    }

    /// What a client can go on with when it loses its connection now.
    func remains(of client: RelayClient) -> LostClient? {
        guard let pid = client.admission.pid else { return nil }
        var rooms = client.memberships.map {
            LostClient.Room(id: $0.room.id, incarnation: $0.room.incarnation, membership: $0.number)
        }
        for id in client.joining where !rooms.contains(where: { $0.id == id }) {
            rooms.append(client.resuming[id] ?? LostClient.Room(id: id, incarnation: 0, membership: 0))
        }
        return LostClient(
            sid: client.socket.identity.sid, pid: pid, person: client.person.id, opened: client.socket.session.opened,
            rooms: rooms, endings: client.endings, trail: client.trail)
    }

    /// A client's connection has ended, and its rooms have been told. `remains` are those of the moment before.
    func end(_ client: RelayClient, _ remains: LostClient?, _ reason: DisconnectReason) {
        guard let remains else { return }
        let (connection, isKept) = (client.id, reason.mayBeReturnedFrom && !client.isTakenOver)
        if isKept { lose(remains.pid) } else if !client.isTakenOver { stand(client) }
        insist(at: remains.pid.shard) { relay in
            // In one go: a claim finds either the connection or what it has left.
            if relay.recovery.connections[remains.pid] == connection { relay.recovery.connections[remains.pid] = nil }
            if isKept { relay.keep(remains) }
        }
    }

    /// On the shard that the `pid` names.
    private func keep(_ lost: LostClient) {
        var lost = lost
        if lost.ends == 0 { lost.ends = shard.now + Int64(configuration.recoveryMilliseconds) }
        recovery.lost.keep(lost)
        armLost()
    }

    // MARK: Rooms

    /// - Parameter isAgain: whether what the client is to be told was charged before and could not be given.
    func resume(_ client: RelayClient, _ room: LostClient.Room, isAgain: Bool = false) {
        // What the client sends for the room waits for the answer, as with a join.
        client.joining.insert(room.id)
        client.resuming[room.id] = room
        let since = client.trail.cursor(of: room.membership)
        let (connection, person, budget) = (client.id, client.person, isAgain ? nil : client.flow.joins)
        atPermittedHome(client, room.id) { relay, home in
            switch home {
            case .failure(let error): relay.atClient(connection) { $0.notResumed($1, room.id, error.message) }
            case .success(let home): relay.resume(connection, person, home, budget, room, since)
            }
        }
    }

    /// On the home shard.
    private func resume(
        _ connection: ConnectionID, _ person: Person, _ home: HomeRoom, _ budget: JoinBudget?, _ room: LostClient.Room,
        _ since: UInt64?
    ) {
        let (roomID, homeShard) = (home.id, shard.index)
        let known = since.flatMap { home.room.reaches($0, of: room.incarnation) ? $0 : nil }
        let missed = known.flatMap { home.room.entries(after: $0) }
        // A client whose log is not known to reach back is told the whole room, as if it joined.
        let byteCount = missed.map { $0.reduce(0) { $0 + $1.frames.count } } ?? home.room.stateByteCount
        if byteCount > 0, let (wait, _) = charge(budget, byteCount) {
            closeIfEmpty(home)
            return atClient(connection) { $0.resumeLater($1, room, in: wait) }
        }
        let slot: Int
        do throws(RoomError) {
            slot = try enter(connection, person, home)
        } catch {
            if byteCount > 0 { budget?.giveBack(byteCount) }
            closeIfEmpty(home)
            return atClient(connection) { $0.notResumed($1, roomID, error.message) }
        }
        var join = HomeRoom.PendingJoin(connection: connection, slot: slot) { [unowned self] answer in
            self.atClient(connection) { relay, client in
                switch answer {
                case .failure(let error): relay.notResumed(client, roomID, error.message)
                case .success(let answer): relay.resumed(client, roomID, homeShard, answer, after: since)
                }
            }
        }
        join.since = known
        home.answerWithNextTick(join)
        changed(home)
    }

    /// On the client's shard: the client keeps its place among those who come back, and waits for its budget.
    private func resumeLater(_ client: RelayClient, _ room: LostClient.Room, in milliseconds: Int) {
        let timer = LoopTimer { [unowned self, weak client] in
            guard let client, client.socket.isConnected, client.resuming[room.id] != nil else { return }
            self.resume(client, room)
        }
        shard.arm(timer, in: milliseconds)
    }

    /// On the client's shard.
    private func resumed(
        _ client: RelayClient, _ roomID: RoomID, _ home: Int, _ answer: JoinAnswer, after since: UInt64?
    ) {
        guard let before = client.resuming.removeValue(forKey: roomID) else { return client.joinAnswered(roomID) }
        let room = localRoom(roomID, home, answer)
        switch answer.told {
        case .state(let state, let listed):
            counters.totals.roomsToldAnew += 1
            admit(client, to: room, answer, state, listed, nil)
        case .missed(let missed):
            client.joinAnswered(roomID)
            guard let since, room.resume(client, slot: answer.slot, after: since, missed) else {
                if room.isEmpty { locals[roomID] = nil }
                giveUpPlace(of: client, in: roomID)
                return resume(client, LostClient.Room(id: roomID, incarnation: 0, membership: 0), isAgain: true)
            }
            client.removeMembership(of: room)
            dropFarewell(client, to: roomID)
            counters.totals.roomsResumed += 1
            client.memberships.append(
                RelayClient.Membership(room: room, slot: answer.slot, number: before.membership))
            sit(client, in: room)
            room.deliver(to: client)
            handleHeld(client)
        }
    }

    /// On the client's shard: the room does not let it in any more.
    private func notResumed(_ client: RelayClient, _ roomID: RoomID, _ reason: String) {
        client.joinAnswered(roomID)
        client.resuming[roomID] = nil
        stand(client, in: roomID)
        var (idJSON, argument): ([UInt8], [UInt8]) = ([], [])
        idJSON.appendJSONString(roomID.text.utf8.span)
        Room.appendClosed(idJSON, reason, to: &argument)
        tellEnding(of: roomID, argument, to: client)
        handleHeld(client)
    }
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
