import Rooms
import Store
import Transport

/// Sends the logs of rooms to the store. Members get an entry before it is stored; acks wait.
///
/// Each room has at most one append under way. An append that failed is repeated, before later entries, when the store
/// has recovered or after a while. Meanwhile the room refuses changes. Leaves and ends of touches are still logged:
/// there are no more of them than participants.
extension Home {
    private static let retryMilliseconds = 1_000

    func storeAll() {
        let failing = (Array(rooms.values) + settling.values).filter { $0.journal?.isFailing == true }
        for home in failing.sorted(by: { $0.id.text < $1.id.text }) { append(home) }
    }

    /// Sends the entries since the last call to the store.
    func store(_ home: HomeRoom) {
        guard home.journal != nil else { return }
        for record in home.room.takeRecords() {
            home.journal?.add(
                record, incarnation: home.room.incarnation, at: loop.unixSeconds, media: hub.mediaOf)
        }
        home.isFull = home.journal?.isFull ?? false
        // After a failure the append is repeated when the store has recovered, not with every tick.
        if home.journal?.isFailing == false { append(home) }
    }

    private func append(_ home: HomeRoom) {
        let newest = proof(of: home)
        guard let store = hub.store, let entries = home.journal?.backlog.take(proof: newest) else { return }
        guard !entries.isEmpty else {
            // The append that failed had only a proof, and its entry is not kept any more: nothing is left to store.
            if home.journal?.backlog.isIdle == true { home.journal?.isFailing = false }
            return
        }
        home.journal?.proof = newest == nil ? .notNeeded : .asked
        loop.cancel(home.storeTimer)
        let (id, incarnation, mailbox, asked) = (home.id, home.room.incarnation, mailbox, ContinuousClock.now)
        let answer: Answer<UInt64> = { result in
            let took = asked.duration(to: .now)
            mailbox.insist(RelayMessage.home(id, .appended(incarnation: incarnation, result, took: took)))
        }
        if let cluster = hub.cluster, let fence = home.fence {
            cluster.homes.append(entries, to: id.text, fence: fence, then: answer)
        } else {
            store.append(entries, to: id.text, then: answer)
        }
    }

    func appended(
        _ id: RoomID, _ incarnation: UInt64, _ result: Result<UInt64, StoreError>, _ took: Duration
    ) {
        count(result, took)
        guard
            let home = [rooms[id], settling[id]].compactMap({ $0 }).first(where: { $0.room.incarnation == incarnation }
            ), !storesAgain(home, result), let outcome = home.journal?.backlog.finish(result)
        else { return }
        if home.fence != nil { storedLately.add(outcome.entries, of: id, at: loop.now) }
        home.isFull = home.journal?.isFull ?? false
        home.countHolding()
        for waiter in outcome.stored { answer(waiter, nil, id) }
        for waiter in outcome.refused { answer(waiter, outcome.hasMoved ? Self.hasMoved : RoomJournal.notStored, id) }
        if outcome.isLost { return readAgain(home) }
        if outcome.hasMoved { return moved(home) }
        switch result {
        case .success:
            home.journal?.isFailing = false
            if home.journal?.proof == .asked { home.journal?.proof = .notNeeded }
            home.forgetStoredEnds()
            append(home)
        case .failure:
            home.journal?.isFailing = true
            if home.journal?.proof == .asked { home.journal?.proof = .wanted }
            failWaiting(for: id)
            home.storeTimer.fire = { [unowned self, unowned home] in self.append(home) }
            loop.arm(home.storeTimer, in: Self.retryMilliseconds)
        }
        settle(home)
    }

    // MARK: What the database has lost

    /// Asks the database for all that it has confirmed lately.
    func proveAll() {
        for id in storedLately.rooms.sorted(by: { $0.text < $1.text }) {
            for home in [rooms[id], settling[id]].compactMap({ $0 }) {
                home.journal?.proof = .wanted
                append(home)
            }
        }
    }

    /// The newest entry that the database has confirmed, if it has to be proved that it has it.
    private func proof(of home: HomeRoom) -> JournalEntry? {
        guard let journal = home.journal, journal.proof == .wanted, journal.storedSeq > 0 else { return nil }
        let newest = storedLately(of: home, after: journal.storedSeq - 1).first
        return newest?.seq == journal.storedSeq ? newest : nil
    }

    /// The database lacks entries that it has confirmed. This home has not given the room up, so nobody can have changed it since:
    /// they are stored again.
    ///
    /// - Returns: false when that is not what has happened, or when the home does not have all of them any more.
    private func storesAgain(_ home: HomeRoom, _ result: Result<UInt64, StoreError>) -> Bool {
        guard case .failure(.outOfOrder(let stored)) = result, home.fence != nil else { return false }
        let lost = storedLately(of: home, after: stored).filter { $0.seq <= home.journal?.storedSeq ?? 0 }
        guard home.journal?.backlog.putBack(lost, after: stored) == true else { return false }
        counters.totals.entriesStoredAgain += lost.count
        append(home)
        return true
    }

    /// What was stored lately and is in the room's log. Another node may have been the room's home meanwhile, after the database had
    /// lost what this one had stored before.
    private func storedLately(of home: HomeRoom, after seq: UInt64) -> [JournalEntry] {
        storedLately.entries(of: home.id, after: seq).filter { home.room.knows($0.seq, of: $0.incarnation) }
    }

    private func count(_ result: Result<UInt64, StoreError>, _ took: Duration) {
        guard case .success = result else {
            counters.totals.appendsFailed += 1
            return
        }
        let (seconds, attoseconds) = took.components
        counters.totals.appends.record(nanoseconds: Int(seconds) * 1_000_000_000 + Int(attoseconds / 1_000_000_000))
    }

    /// Answers once all entries so far are stored, or with the error that prevents it.
    func whenStored(_ home: HomeRoom, answer waiter: StoreWaiter) {
        guard home.journal != nil, home.journal?.backlog.wait(waiter, for: home.room.lastSeq) == false else {
            return answer(waiter, nil, home.id)
        }
        home.isFull = home.journal?.isFull ?? false
    }

    func answer(_ waiter: StoreWaiter, _ error: RoomError?, _ room: RoomID) {
        switch waiter {
        case .change(let asker, .success(let outcome)):
            answer(asker, error.map { .failure($0) } ?? .success(outcome), room)
        // Not in the room, so the error of an entry that is in it does not hold.
        case .change(let asker, .failure(let refusal)):
            answer(asker, .failure(error == nil ? refusal : RoomJournal.takesNothing), room)
        case .question(let question):
            answer(question, .stored(error.map { _ in RoomJournal.takesNothing }))
        }
    }

    /// Whether the room accepts changes now: a change that cannot be stored is not begun.
    func checkTakesChanges(_ home: HomeRoom) throws(RoomError) {
        if home.isFull || home.journal?.isFailing == true || home.room.records.count >= RoomJournal.recordsMax {
            throw RoomJournal.takesNothing
        }
    }

    // MARK: The end of a room

    /// A room out of use leaves memory when all of it is stored. Returns whether it has left.
    @discardableResult
    func settle(_ home: HomeRoom) -> Bool {
        guard home.isStored else { return false }
        if settling[home.id] === home {
            settling[home.id] = nil
            forget(home)
            if loading[home.id] != nil { read(home.id) }
        } else {
            retireIfEmpty(home)
        }
        return true
    }

    /// The stored room differs from the one in memory: its members have to join again.
    private func readAgain(_ home: HomeRoom) {
        home.journal = nil
        home.isLost = true
        // In a cluster the release of the room counts it.
        if home.fence == nil { countLoss(of: home) }
        if rooms[home.id] === home {
            close(home, reason: "the room has to be read anew")
        } else {
            settle(home)
        }
    }

    /// The room is not read anew before it is counted: versions that members were told would be given once more.
    private func countLoss(of home: HomeRoom) {
        home.owesLoss = true
        let (id, mailbox) = (home.id, mailbox)
        hub.store?.countLoss(of: id.text) { result in
            mailbox.insist(RelayMessage.home(id, .lossCounted((try? result.get()) != nil)))
        }
    }

    func lossCounted(_ id: RoomID, _ isCounted: Bool) {
        guard let home = rooms[id] ?? settling[id], home.owesLoss else { return }
        if isCounted {
            home.owesLoss = false
            settle(home)
        } else {
            failWaiting(for: id)
            home.storeTimer.fire = { [unowned self, unowned home] in self.countLoss(of: home) }
            loop.arm(home.storeTimer, in: Self.retryMilliseconds)
        }
    }
}
