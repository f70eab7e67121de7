import Rooms
import Sessions
import Transport

/// How clients enter and leave rooms, on the home.
extension Home {
    /// Admits a client. The answer comes with the room's next tick.
    ///
    /// While an earlier state is still being sent to others, the client waits. All waiting clients enter together.
    func enter(_ entry: Entry, _ home: HomeRoom) {
        guard hub.permissions[entry.room] == entry.mark else {
            askAgain(entry)
            return retireIfEmpty(home)
        }
        // A new member has no view, so its node is told everything again before it enters.
        if entry.connection.node != hub.node, home.see(nil, from: entry.connection.node) { changed(home) }
        guard !home.isTelling else {
            home.enterLater(entry)
            return changed(home)
        }
        // A room that was opened for a command has no description yet.
        if home.room.info.isEmpty { home.room.setInfo(entry.info) }
        let (since, byteCount) = cost(of: entry, home)
        // The client was in the room when it was closed, so it is not in it any more.
        if case .goOn(let before, _) = entry.purpose, home.room.wasClosed(since: before.incarnation, after: since) {
            retireIfEmpty(home)
            return refuse(entry, RoomError(.notFound, "The room is closed."))
        }
        if byteCount > 0, let (wait, scope) = charge(entry.budget, byteCount) {
            retireIfEmpty(home)
            return refuse(entry, wait, scope)
        }
        do throws(RoomError) {
            let slot = try seat(entry, home)
            home.answerWithNextTick(HomeRoom.PendingEntry(entry: entry, slot: slot, since: since))
            if entry.hasStayed { tickAtTurnEnd(home) } else { changed(home) }
            for kept in takeChanges(of: entry.connection, home.id) { change(home, kept.request, kept.asker) }
        } catch {
            if byteCount > 0 { entry.budget?.giveBack(byteCount) }
            retireIfEmpty(home)
            refuseForNow(entry, error)
        }
    }

    /// The entry after which the client can continue, and the number of bytes that it gets: the missed entries, or the
    /// whole state.
    private func cost(of entry: Entry, _ home: HomeRoom) -> (since: UInt64?, byteCount: Int) {
        switch entry.purpose {
        // The event and the ack both have the state.
        case .join(let call): return (nil, (call.ackID == nil ? 1 : 2) * home.room.stateByteCount)
        case .goOn(let before, let since):
            let known = since.flatMap { home.room.reaches($0, of: before.incarnation) ? $0 : nil }
            let missed = known.flatMap { home.room.entries(after: $0) }
            return (known, missed.map { $0.reduce(0) { $0 + $1.frames.count } } ?? home.room.stateByteCount)
        }
    }

    /// Takes the bytes of an answer from a client's budget. Returns how long the client has to wait if they are too
    /// many.
    func charge(_ budget: JoinBudget?, _ byteCount: Int) -> (wait: Int, scope: ClientFlow.Scope)? {
        guard let excess = budget?.take(byteCount, now: loop.now) else { return nil }
        counters.totals.countJoinExcess(excess.scope)
        return excess
    }

    /// Makes a connection a member and returns its participant's slot.
    private func seat(_ entry: Entry, _ home: HomeRoom) throws(RoomError) -> Int {
        let isNew = !home.room.contains(entry.connection)
        if home.isFull { throw RoomJournal.takesNothing }
        let joined = try home.room.join(entry.connection, entry.person, at: now)
        if isNew { home.subscribe(entry.connection) }
        if let touch = homeless[home.id]?.touches.take(entry.connection) { home.restore(touch, of: entry.connection) }
        home.room.endLostTouch(of: entry.connection, tellsEnd: !hasStayed(entry, home) && !entry.touchFollows)
        if let takenOver = joined.takenOver {
            evict(
                takenOver, home, reason: "taken over by another device",
                RoomError(.conflict, "Another connection has taken the place of this one."))
        }
        armGrace(home)
        return joined.slot
    }

    /// Whether a connection has stayed, and was told nothing that the home before has not stored. That may have been the end of
    /// the touch of a connection before it, and not all members may have got this end.
    private func hasStayed(_ entry: Entry, _ home: HomeRoom) -> Bool {
        guard case .goOn(let before, let since?) = entry.purpose else { return false }
        return entry.hasStayed && home.room.knows(since, of: before.incarnation)
    }

    /// The client's permission may be older than a removal from the room.
    private func askAgain(_ entry: Entry) {
        var entry = entry
        // Another node compares its questions with this mark.
        if entry.connection.node != hub.node { entry.mark = hub.permissions[entry.room] }
        tell(entry.connection, .lookUpAgain(entry), entry.room)
    }

    func refuse(_ entry: Entry, _ error: RoomError) {
        forgetKept(of: entry.connection, entry.room, refused: error)
        tell(entry.connection, .notEntered(entry.purpose, entry.room, error), entry.room)
    }

    func refuse(_ entry: Entry, _ wait: Int, _ scope: ClientFlow.Scope) {
        switch entry.purpose {
        case .join:
            refuse(
                entry,
                RoomError(
                    .rateLimited, "Too many joins of large rooms. Wait \(wait) ms.", details: scope.details(wait: wait)
                )
            )
        case .goOn(let before, _):
            tell(entry.connection, .enterLater(before, milliseconds: wait), entry.room)
        }
    }

    /// A room cannot be read, or its home cannot be reached. A client that was in the room asks again.
    func refuseForNow(_ entry: Entry, _ error: RoomError) {
        guard case .goOn(let before, _) = entry.purpose, error.code == .server else { return refuse(entry, error) }
        tell(entry.connection, .enterLater(before, milliseconds: 500), entry.room)
    }

    // MARK: Getting out

    /// A connection is not in the room any more, or does not want to enter it any more.
    func left(_ connection: ConnectionID, _ home: HomeRoom, _ leaving: Leaving) {
        _ = home.takeEntering(connection)
        forgetKept(of: connection, home.id, leaving)
        switch leaving {
        case .lost: home.forgetEnd(of: connection)
        // Another home may be next before the end is stored.
        case .forGood where home.fence != nil && home.room.touch(of: connection) != nil:
            home.endTouch(of: connection)
        case .forGood, .entersAgain: break
        }
        guard home.room.contains(connection) else { return retireIfEmpty(home) }
        switch leaving {
        case .forGood: try? home.room.leave(connection)
        case .lost: home.room.lose(connection, at: now)
        case .entersAgain: home.room.lose(connection, at: now, mayReturn: true)
        }
        home.unsubscribe(connection)
        armGrace(home)
        changed(home)
    }

    /// Removes a connection from a room and tells it the reason. Its requests that the room has not answered are
    /// refused with `error`.
    func evict(_ connection: ConnectionID, _ home: HomeRoom, reason: String, _ error: RoomError) {
        for entry in home.takeEntering(connection) + home.unsubscribe(connection) { refuse(entry, error) }
        // If it enters the next home, its touch of before is over.
        home.forgetEnd(of: connection)
        tell(connection, .evicted(home.id, reason: reason, error), home.id)
    }

    /// Closes a room at once. Its last changes go out with its last delta.
    func close(_ home: HomeRoom, reason: String) {
        let entries = home.takeEntries()
        home.room.close(reason: reason)
        let (delta, subscribers) = (takeDelta(home), home.subscribers)
        store(home)
        home.countTick(delta, at: loop.now)
        // This comes before the end is sent: a client that enters now enters the next room with this id.
        retire(home)
        if let delta { publish(delta, of: home, to: subscribers) }
        for entry in entries { refuse(entry, RoomError(.notFound, "The room is closed.")) }
        forgetKept(home.id)
    }
}
