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
        client.joining.insert(roomID)
        permit(client, roomID) { relay, client, permission in
            let (connection, person) = (client.id, client.person)
            switch permission {
            case .failure(let error): relay.notJoined(connection, roomID, error, call)
            case .success(let info):
                let isPosted = relay.atOpenHome(roomID, info, for: connection) { relay, home in
                    switch home {
                    case .failure(let error): relay.notJoined(connection, roomID, error, call)
                    case .success(let home): relay.join(connection, person, home, call)
                    }
                }
                if !isPosted { relay.notJoined(connection, roomID, Self.overwhelmed, call) }
            }
        }
    }

    /// On the home shard.
    private func join(_ connection: ConnectionID, _ person: Person, _ home: HomeRoom, _ call: SocketCall) {
        let slot: Int
        do throws(RoomError) {
            slot = try enter(connection, person, home)
        } catch {
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
        let joined: Room.Joined
        do throws(RoomError) {
            if home.isFull { throw RoomJournal.takesNothing }
            joined = try home.room.join(connection, person, at: now)
        } catch {
            closeIfEmpty(home)
            throw error
        }
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
        client.joinAnswered(roomID)
        let room = localRoom(roomID, home, answer)
        tellState(of: room, to: client, answer)
        accept(client, call, [UInt8(ascii: ",")] + answer.json)
        guard client.socket.isConnected else { return }
        room.deliver(to: client)
        handleHeld(client)
    }

    /// The shard's own copy of a room that has answered.
    func localRoom(_ id: RoomID, _ home: Int, _ answer: JoinAnswer) -> LocalRoom {
        let room = locals[id] ?? LocalRoom(id, home: home, answer, limits: configuration.room, counters)
        locals[id] = room
        room.homeRoom = homes[id]
        return room
    }

    /// Makes a client a member that knows all as of now. From here on the end of the connection is the end of the
    /// membership too: a large answer can bring it about.
    func tellState(of room: LocalRoom, to client: RelayClient, _ answer: JoinAnswer) {
        client.removeMembership(of: room)
        dropFarewell(client, to: room.id)
        let number = takeMembershipNumber()
        client.memberships.append(RelayClient.Membership(room: room, slot: answer.slot, number: number))
        room.add(client, slot: answer.slot)
        sit(client, in: room)
        var arguments = [UInt8(ascii: "{")] + answer.json + [UInt8(ascii: "}")]
        if client.wantsOffsets {
            client.trail.joined(number, incarnation: room.incarnation, at: answer.seq)
            let offset = LogOffset(seq: answer.seq, incarnation: room.incarnation, membership: number)
            arguments += Array(",\"\(offset.text)\"".utf8)
        }
        client.socket.emit("room:joined", arguments)
    }

    func leave(_ client: RelayClient, _ arguments: Span<UInt8>, _ call: SocketCall) throws(RoomError) {
        let fields = try EventFields.read(Self.roomKeys, arguments)
        guard let membership = client.membership(fields[0], in: arguments) else { throw notJoined(fields[0]) }
        client.removeMembership(of: membership.room)
        drop(client, from: membership.room)
        stand(client, in: membership.room.id)
        let connection = client.id
        atHome(membership.room.id, insists: true) { relay, home in
            if let home { relay.left(connection, home, forGood: true) }
        }
        accept(client, call)
    }

    /// On the home shard: a connection is not in the room any more.
    func left(_ connection: ConnectionID, _ home: HomeRoom, forGood: Bool) {
        guard home.room.contains(connection) else { return }
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
