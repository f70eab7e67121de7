import Rooms
import Sessions
import Transport
import Wire

extension Relay {
    static let roomKeys = JSONKeys("roomId")

    func join(_ client: RelayClient, _ arguments: Span<UInt8>, _ call: SocketCall) throws(RoomError) {
        let fields = try EventFields.read(Self.roomKeys, arguments)
        let roomID = RoomID(try EventFields.id(fields[0], "roomId", arguments, limits: configuration.room))
        let rooms = client.joining.union(client.memberships.map(\.room.id))
        guard rooms.contains(roomID) || !client.socket.session.service.isDraining else {
            throw RoomError(.shuttingDown, "The server is shutting down.")
        }
        guard rooms.contains(roomID) || rooms.count < configuration.roomsPerConnectionMax else {
            throw RoomError(.validation, "A connection may be in \(configuration.roomsPerConnectionMax) rooms.")
        }
        join(client, roomID, call)
    }

    /// Has the room's home let the client in.
    ///
    /// - Parameter isAgain: whether the answer was charged before and could not be given.
    func join(_ client: RelayClient, _ roomID: RoomID, _ call: SocketCall, isAgain: Bool = false) {
        client.joining.insert(roomID)
        let (connection, person, budget) = (client.id, client.person, isAgain ? nil : client.flow.joins)
        atPermittedHome(client, roomID) { relay, home in
            switch home {
            case .failure(let error): relay.notJoined(connection, roomID, error, call)
            case .success(let home): relay.join(connection, person, home, budget, call)
            }
        }
    }

    /// On the home shard.
    private func join(
        _ connection: ConnectionID, _ person: Person, _ home: HomeRoom, _ budget: JoinBudget?, _ call: SocketCall
    ) {
        // An ack has the state once more than the event.
        let byteCount = (call.ackID == nil ? 1 : 2) * home.room.stateByteCount
        let slot: Int
        do throws(RoomError) {
            if let (wait, scope) = charge(budget, byteCount) { throw Self.tooMuch(wait, scope) }
            do throws(RoomError) {
                slot = try enter(connection, person, home)
            } catch {
                budget?.giveBack(byteCount)
                throw error
            }
        } catch {
            closeIfEmpty(home)
            return notJoined(connection, home.id, error, call)
        }
        let (roomID, homeShard) = (home.id, shard.index)
        home.answerWithNextTick(
            HomeRoom.PendingJoin(connection: connection, slot: slot) { [unowned self] answer in
                switch answer {
                case .failure(let error): self.notJoined(connection, roomID, error, call)
                case .success(let answer):
                    self.atClient(connection) { $0.joined($1, roomID, homeShard, answer, call) }
                }
            })
        changed(home)
    }

    /// Lets a connection in and gives its person's slot.
    func enter(_ connection: ConnectionID, _ person: Person, _ home: HomeRoom) throws(RoomError) -> Int {
        let isNew = !home.room.contains(connection)
        if home.isFull { throw RoomJournal.takesNothing }
        let joined = try home.room.join(connection, person, at: now)
        if isNew { home.subscribe(connection) }
        if let takenOver = joined.takenOver { takeOver(takenOver, home) }
        armGrace(home)
        return joined.slot
    }

    private func notJoined(_ connection: ConnectionID, _ roomID: RoomID, _ error: RoomError, _ call: SocketCall) {
        atClient(connection) { relay, client in
            client.joinAnswered(roomID)
            relay.refuse(client, ClientEvent.roomJoin.rawValue, error, call)
            relay.handleHeld(client)
        }
    }

    /// On the client's shard.
    private func joined(
        _ client: RelayClient, _ roomID: RoomID, _ home: Int, _ answer: JoinAnswer, _ call: SocketCall
    ) {
        // Who joins has no log to go on from.
        guard case .state(let state, let listed) = answer.told else { return }
        let room = localRoom(roomID, home, answer)
        admit(client, to: room, answer, state, listed, call)
    }

    /// The shard's own copy of a room that has answered.
    func localRoom(_ id: RoomID, _ home: Int, _ answer: JoinAnswer) -> LocalRoom {
        let room = locals[id] ?? LocalRoom(id, home: home, answer, limits: configuration.room, counters)
        locals[id] = room
        room.homeRoom = homes[id]
        return room
    }

    /// Makes a client a member that knows all as of now, and has it told that in its turn: `welcome`.
    func admit(
        _ client: RelayClient, to room: LocalRoom, _ answer: JoinAnswer, _ state: RoomState, _ listed: [UInt8],
        _ call: SocketCall?
    ) {
        client.removeMembership(of: room)
        dropFarewell(client, to: room.id)
        let number = takeMembershipNumber()
        client.memberships.append(RelayClient.Membership(room: room, slot: answer.slot, number: number))
        room.add(client, slot: answer.slot)
        sit(client, in: room)
        welcomes.append(
            Welcome(
                client: client, room: room, membership: number, seq: answer.seq, state: state, listed: listed,
                call: call), for: room.id)
    }

    func leave(_ client: RelayClient, _ arguments: Span<UInt8>, _ call: SocketCall) throws(RoomError) {
        let fields = try EventFields.read(Self.roomKeys, arguments)
        guard let membership = client.membership(fields[0], in: arguments) else { throw notJoined(fields[0]) }
        client.removeMembership(of: membership.room)
        drop(client, from: membership.room)
        let connection = client.id
        atHome(membership.room.id, insists: true) { relay, home in
            if let home { relay.left(connection, home, forGood: true) }
        }
        stand(client, in: membership.room.id) { relay, client, error in
            if let error {
                relay.refuse(client, ClientEvent.roomLeave.rawValue, error, call)
            } else {
                relay.accept(client, call)
            }
        }
    }

    /// The home is told that a client which has been let in is not in the room after all. If the client does not come again
    /// within the grace, its person leaves.
    func giveUpPlace(of client: RelayClient, in roomID: RoomID) {
        let connection = client.id
        atHome(roomID, insists: true) { relay, home in
            if let home { relay.left(connection, home, forGood: false) }
        }
    }

    /// On the home shard: a connection is not in the room any more.
    func left(_ connection: ConnectionID, _ home: HomeRoom, forGood: Bool) {
        _ = home.takeEntering(connection)
        guard home.room.contains(connection) else { return closeIfEmpty(home) }
        if forGood {
            try? home.room.leave(connection)
        } else {
            home.room.lose(connection, at: now)
        }
        home.unsubscribe(connection)
        armGrace(home)
        changed(home)
    }

    /// A newer device of the same person has taken this one's place.
    private func takeOver(_ connection: ConnectionID, _ home: HomeRoom) {
        evict(
            connection, home, reason: "taken over by another device",
            RoomError(.conflict, "Another device took this one's place."))
    }
}
