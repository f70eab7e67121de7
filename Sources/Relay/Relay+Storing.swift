import Rooms
import Sessions
import Store
import Transport
import Wire

/// What rooms have logged, on its way into the store. Members are told before it is stored, acks wait.
///
/// One append of a room is under way at a time. What failed is appended again, before anything that follows, when the
/// store turns good or after a while. Meanwhile the room takes no changes; people who leave and touches that end are still
/// logged, of which there are no more than people in the room.
extension Relay {
    private static let retryMilliseconds = 1_000

    /// The store can store again: what it has refused is given to it once more. Called from any thread.
    public static func storeIsGood(_ mailboxes: [ShardMailbox]) {
        for mailbox in mailboxes {
            mailbox.insist { $0.local(Relay.self)?.storeAll() }
        }
    }

    private func storeAll() {
        for home in Array(homes.values) + settling.values where home.journal?.isFailing == true { append(home) }
    }

    /// Gives the store what a room has logged since the last call.
    func store(_ home: HomeRoom) {
        guard home.journal != nil else { return }
        for record in home.room.takeRecords() {
            home.journal?.add(
                record, incarnation: home.room.incarnation, at: shard.unixSeconds, media: hub.mediaOf)
        }
        home.isFull = home.journal?.isFull ?? false
        // A place that fails is tried when it has turned good, not with every tick.
        if home.journal?.isFailing == false { append(home) }
    }

    private func append(_ home: HomeRoom) {
        guard let store = hub.store, let entries = home.journal?.backlog.take(), !entries.isEmpty else { return }
        shard.cancel(home.storeTimer)
        let (roomID, incarnation, mailbox) = (home.id, home.room.incarnation, shard.mailboxes[shard.index])
        let asked = ContinuousClock.now
        store.append(entries, to: roomID.text) { result in
            let took = asked.duration(to: .now)
            mailbox.insist { $0.local(Relay.self)?.appended(roomID, incarnation, result, took) }
        }
    }

    private func appended(
        _ roomID: RoomID, _ incarnation: UInt64, _ result: Result<UInt64, StoreError>, _ took: Duration
    ) {
        count(result, took)
        let homes = [homes[roomID], settling[roomID]].compactMap { $0 }
        guard let home = homes.first(where: { $0.room.incarnation == incarnation }),
            let outcome = home.journal?.backlog.finish(result)
        else { return }
        home.isFull = home.journal?.isFull ?? false
        home.countHolding()
        for waiting in outcome.stored { waiting(self, nil) }
        for waiting in outcome.refused { waiting(self, RoomJournal.notStored) }
        if outcome.isLost { return abandon(home) }
        switch result {
        case .success:
            home.journal?.isFailing = false
            append(home)
        case .failure:
            home.journal?.isFailing = true
            failWaiting(for: roomID)
            home.storeTimer.fire = { [unowned self, unowned home] in self.append(home) }
            shard.arm(home.storeTimer, in: Self.retryMilliseconds)
        }
        settle(home)
    }

    private func count(_ result: Result<UInt64, StoreError>, _ took: Duration) {
        guard case .success = result else {
            counters.totals.appendsFailed += 1
            return
        }
        let (seconds, attoseconds) = took.components
        counters.totals.appends.record(nanoseconds: Int(seconds) * 1_000_000_000 + Int(attoseconds / 1_000_000_000))
    }

    /// Calls back once all that was logged up to now is stored, or with why it is not.
    func whenStored(_ home: HomeRoom, _ waiting: @escaping RoomJournal.Waiting) {
        guard home.journal != nil, home.journal?.backlog.wait(waiting, for: home.room.lastSeq) == false else {
            return waiting(self, nil)
        }
        home.isFull = home.journal?.isFull ?? false
    }

    /// Whether a room may be changed now: what cannot be stored is not begun.
    func checkTakesChanges(_ home: HomeRoom) throws(RoomError) {
        if home.isFull || home.journal?.isFailing == true { throw RoomJournal.takesNothing }
    }

    // MARK: The end of a room

    /// A room that is in use no more goes from memory when all of it is stored. Answers whether it has gone.
    @discardableResult
    func settle(_ home: HomeRoom) -> Bool {
        guard home.isStored else { return false }
        if settling[home.id] === home {
            settling[home.id] = nil
            forget(home)
            if let room = loading[home.id] { read(home.id, room) }
        } else {
            closeIfEmpty(home)
        }
        return true
    }

    /// What the store has of a room is not what it had: whoever is in it joins anew.
    private func abandon(_ home: HomeRoom) {
        if homes[home.id] === home {
            home.journal = nil
            close(home, reason: "the room has to be read anew")
        } else if settling[home.id] === home {
            home.journal = nil
            settle(home)
        }
    }

    /// Who wants to come into a room that cannot be stored need not wait for the end of that.
    private func failWaiting(for roomID: RoomID) {
        guard settling[roomID] != nil, let room = loading.removeValue(forKey: roomID) else { return }
        for waiting in room.waiting { waiting.job(self, .failure(RoomJournal.takesNothing)) }
    }

    // MARK: Seats

    /// Remembers in which room a connection is, for one that comes back after a restart.
    func sit(_ client: RelayClient, in room: LocalRoom) {
        guard let store = hub.store, let pid = client.admission.pid else { return }
        store.sit(
            Seat(
                pid: pid.description, person: client.person.id, room: room.id.text, incarnation: room.incarnation))
    }

    /// A connection is not in a room any more; in no room, without one. `done` is called once a restart cannot bring it
    /// back there, or with why that could not be stored.
    func stand(
        _ client: RelayClient, in roomID: RoomID? = nil,
        then done: (@Sendable (Relay, RelayClient, RoomError?) -> Void)? = nil
    ) {
        guard let store = hub.store, let pid = client.admission.pid else {
            done?(self, client, nil)
            return
        }
        let (connection, mailbox) = (client.id, shard.mailboxes[shard.index])
        store.stand(pid.description, in: roomID?.text) { result in
            guard let done else { return }
            var error: RoomError?
            if case .failure = result { error = Self.leaveNotStored }
            mailbox.insist { [error] shard in
                shard.local(Relay.self)?.atClient(connection) { done($0, $1, error) }
            }
        }
    }

    private static let leaveNotStored = RoomError(
        .server, "You have left the room, which could not be stored: a restart of the server may bring you back.")

    /// A connection was lost, and its client may come back.
    func lose(_ pid: SessionID) {
        hub.store?.lose(pid.description)
    }

    /// Looks for a client in what servers before this one have left. Answers false when there is nothing to look at.
    func remember(_ claim: RecoveryClaim, _ done: @escaping @Sendable (Relay, LostClient?) -> Void) -> Bool {
        guard let store = hub.store else { return false }
        let mailbox = shard.mailboxes[shard.index]
        let seconds = Int64(configuration.recoveryMilliseconds + 999) / 1_000
        store.seats(of: claim.pid.description, within: seconds) { result in
            let seats = (try? result.get()) ?? []
            mailbox.insist { shard in
                if let relay = shard.local(Relay.self) { done(relay, relay.lostClient(claim, seats)) }
            }
        }
        return true
    }

    /// - Returns: nil when the seats are somebody else's, or not all that the client had.
    private func lostClient(_ claim: RecoveryClaim, _ seats: [Seat]) -> LostClient? {
        guard !seats.isEmpty, seats.allSatisfy({ $0.person.isExactly(claim.person) }) else { return nil }
        if let offset = claim.offset {
            guard seats.contains(where: { $0.incarnation == offset.incarnation }) else { return nil }
        }
        var trail = Trail()
        let rooms = seats.map { seat in
            var membership = takeMembershipNumber()
            if let offset = claim.offset, offset.incarnation == seat.incarnation, offset.seq > 0 {
                if let joined = offset.membership {
                    membership = joined
                    trail.joined(membership, incarnation: seat.incarnation, at: offset.seq)
                } else {
                    trail.wrote(
                        membership, incarnation: seat.incarnation, after: offset.seq - 1, upTo: offset.seq)
                }
            }
            return LostClient.Room(id: RoomID(seat.room), incarnation: seat.incarnation, membership: membership)
        }
        return LostClient(
            sid: nil, pid: claim.pid, person: claim.person, opened: claim.opened, rooms: rooms, endings: [],
            trail: trail)
    }
}
