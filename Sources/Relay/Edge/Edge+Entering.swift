import Rooms
import Sessions
import Transport
import Wire

/// How clients enter rooms: new members, and clients that come back.
///
/// The edge asks the directory whether the client may be in the room, and then the room's home. The home's answer makes
/// the client a member; `welcomeSome` sends it the state.
extension Edge {
    static let roomKeys = JSONKeys("roomId")
    /// How long a client that was in a room waits when the room cannot be asked.
    private static let retryMilliseconds = 500
    /// The error when a shard's mailbox takes no more requests.
    static let overwhelmed = RoomError(.server, "The server is overloaded; try again in a moment.")

    func join(_ client: RelayClient, _ arguments: Span<UInt8>, _ call: SocketCall) throws(RoomError) {
        let fields = try EventFields.read(Self.roomKeys, arguments)
        let roomID = RoomID(try EventFields.id(fields[0], "roomId", arguments, limits: configuration.room))
        let rooms = client.rooms
        guard rooms.contains(roomID) || !client.session.isDraining else {
            throw RoomError(.shuttingDown, "The server is shutting down.")
        }
        guard rooms.contains(roomID) || rooms.count < configuration.roomsPerConnectionMax else {
            throw RoomError(.validation, "A connection may be in at most \(configuration.roomsPerConnectionMax) rooms.")
        }
        enter(client, roomID, .join(call))
    }

    /// - Parameter isPaid: whether an earlier answer was charged and could not be given.
    func enter(_ client: RelayClient, _ room: RoomID, _ purpose: Entry.Purpose, isPaid: Bool = false) {
        // Later events of the client for the room wait for the answer.
        client.asksToJoin(room)
        lookUp(
            client,
            Entry(
                connection: client.id, person: client.person, room: room, purpose: purpose,
                budget: isPaid ? nil : client.flow.joins))
    }

    /// Asks the directory whether the client may be in the room.
    ///
    /// A user may be removed from the room before the answer arrives. Then the home has the directory asked again.
    func lookUp(_ client: RelayClient, _ entry: Entry) {
        var entry = entry
        entry.mark = hub.permissions[entry.room]
        let (number, mailbox) = (lookups.begin(entry), mailbox)
        let answer = hub.directory.find(entry.room.text, for: client.person) { answer in
            mailbox.insist(RelayMessage.edge(.lookedUp(number, answer)))
        }
        if let answer { lookedUp(number, answer) }
    }

    /// Does nothing when the client has gone before the answer.
    func lookedUp(_ number: UInt64, _ answer: Result<[UInt8], RoomError>) {
        guard var entry = lookups.end(number), let client = clients[entry.connection.number] else { return }
        switch answer {
        case .failure(let error):
            // The directory cannot say it now. A client that was in the room stays until it can.
            if case .goOn(let before, _) = entry.purpose, error.code == .server {
                return goOnLater(client, before, in: Self.retryMilliseconds)
            }
            if hub.cluster != nil, client.resuming[entry.room] != nil {
                _ = tellHome(of: entry.room, .notPermitted(entry.connection), insists: true)
            }
            notEntered(client, entry.purpose, entry.room, error)
        case .success(let info):
            entry.info = info
            if tellHome(of: entry.room, .enter(entry)) { return }
            if case .goOn(let before, _) = entry.purpose {
                return goOnLater(client, before, in: Self.retryMilliseconds)
            }
            notEntered(client, entry.purpose, entry.room, Self.overwhelmed)
        }
    }

    // MARK: The home's answer

    func entered(
        _ client: RelayClient, _ purpose: Entry.Purpose, _ roomID: RoomID, _ home: Int, _ answer: EntryAnswer
    ) {
        switch (purpose, answer.told) {
        case (.join(let call), .state(let state, let listed)):
            client.resuming[roomID] = nil
            admit(client, to: localRoom(roomID, home, answer), answer, state, listed, call)
        // A client that joins has no cursor from which it could continue.
        case (.join, .missed): return
        case (.goOn, .state(let state, let listed)):
            guard client.resuming.removeValue(forKey: roomID) != nil else { return client.joinAnswered(roomID) }
            counters.totals.roomsToldAnew += 1
            admit(client, to: localRoom(roomID, home, answer), answer, state, listed, nil)
        case (.goOn(let before, let since), .missed(let missed)):
            client.joinAnswered(roomID)
            guard client.resuming.removeValue(forKey: roomID) != nil else { return }
            // The client has joined meanwhile, and gets the whole state.
            if client.memberships.contains(where: { $0.room.id == roomID }) { return }
            goOn(client, in: localRoom(roomID, home, answer), before, after: since, answer, missed)
        }
    }

    /// The shard's copy of a room that has answered.
    private func localRoom(_ id: RoomID, _ home: Int, _ answer: EntryAnswer) -> LocalRoom {
        let room = locals[id] ?? LocalRoom(id, home: home, answer, limits: configuration.room, context)
        locals[id] = room
        room.homeRoom = home == loop.index ? context.homeRoom(id) : nil
        return room
    }

    /// Makes a client a member with the state as of now, and queues that state for it: `welcome`.
    private func admit(
        _ client: RelayClient, to room: LocalRoom, _ answer: EntryAnswer, _ state: RoomState, _ listed: [UInt8],
        _ call: SocketCall?
    ) {
        client.removeMembership(of: room)
        dropFarewell(client, to: room.id)
        let number = context.takeMembershipNumber()
        client.memberships.append(RelayClient.Membership(room: room, slot: answer.slot, number: number))
        room.add(client, slot: answer.slot)
        restoreView(of: client, in: room)
        sit(client, in: room)
        welcomes.append(
            Welcome(
                client: client, room: room, membership: number, seq: answer.seq, state: state, listed: listed,
                call: call), for: room.id)
    }

    /// Makes a client that comes back a member again, which continues after the newest entry that it has seen.
    private func goOn(
        _ client: RelayClient, in room: LocalRoom, _ before: ReturningRoom, after since: UInt64?,
        _ answer: EntryAnswer, _ missed: [LogEntry]
    ) {
        guard let since, room.resume(client, slot: answer.slot, after: since, missed) else {
            if room.isEmpty { locals[room.id] = nil }
            giveUpPlace(of: client, in: room.id)
            return goOn(client, .afresh(room.id), isPaid: true)
        }
        client.removeMembership(of: room)
        dropFarewell(client, to: room.id)
        counters.totals.roomsResumed += 1
        client.memberships.append(
            RelayClient.Membership(room: room, slot: answer.slot, number: before.membership))
        sit(client, in: room)
        restoreView(of: client, in: room)
        room.deliver(to: client)
        handleHeld(client)
    }

    /// A room did not admit a client. A client that came back is told that it is not in the room any more.
    func notEntered(_ client: RelayClient, _ purpose: Entry.Purpose, _ roomID: RoomID, _ error: RoomError) {
        client.joinAnswered(roomID)
        let before = client.resuming.removeValue(forKey: roomID)
        // A member that asked for the state once more stays one, with its view.
        if before == nil, !client.memberships.contains(where: { $0.room.id == roomID }) { client.views[roomID] = nil }
        switch purpose {
        case .join(let call):
            refuse(client, ClientEvent.roomJoin.rawValue, error, call)
            // It was a member when it asked, and the room has moved meanwhile.
            if let before, client.socket.isConnected { comeBack(client, before, error) }
        case .goOn: tellOut(client, of: roomID, error)
        }
        handleHeld(client)
    }

    /// A member of a room that has moved was refused the room's state. It comes back for what it lacks, unless it may not be
    /// in the room any more.
    private func comeBack(_ client: RelayClient, _ before: ReturningRoom, _ error: RoomError) {
        if error.isForNow { goOn(client, before, isPaid: true) } else { tellOut(client, of: before.id, error) }
    }

    private func tellOut(_ client: RelayClient, of roomID: RoomID, _ error: RoomError) {
        client.views[roomID] = nil
        stand(client, in: roomID)
        var (idJSON, argument): ([UInt8], [UInt8]) = ([], [])
        idJSON.appendJSONString(roomID.text.utf8.span)
        Room.appendClosed(idJSON, error.message, to: &argument)
        tellEnding(of: roomID, argument, to: client)
    }
}
