import Rooms
import Sessions
import Transport
import Wire

/// How clients leave rooms: they leave by themselves, they are removed, or the room is closed.
extension Edge {
    func leave(_ client: RelayClient, _ arguments: Span<UInt8>, _ call: SocketCall) throws(RoomError) {
        let fields = try EventFields.read(Self.roomKeys, arguments)
        guard let membership = client.membership(fields[0], in: arguments) else { throw notJoined(fields[0]) }
        let room = membership.room
        client.removeMembership(of: room)
        client.views[room.id] = nil
        drop(client, from: room)
        tellHome(of: room.id, .leave(client.id, .forGood), insists: true)
        stand(client, in: room.id, answering: call)
    }

    /// A client that the home has admitted is not a member after all, and is about to enter again.
    func giveUpPlace(of client: RelayClient, in room: RoomID) {
        tellHome(of: room, .leave(client.id, .entersAgain), insists: true)
    }

    /// The client was removed from a room and is told the reason. `error` answers its join if it has not got the state
    /// yet.
    func evicted(_ client: RelayClient, _ roomID: RoomID, reason: String, _ error: RoomError) {
        guard let membership = client.memberships.first(where: { $0.room.id == roomID }) else { return }
        let room = membership.room
        client.lastEviction = (membership.number, error)
        client.removeMembership(of: room)
        client.views[roomID] = nil
        drop(client, from: room)
        stand(client, in: roomID)
        var argument: [UInt8] = []
        Room.appendClosed(room.idJSON, reason, to: &argument)
        tellEnding(of: roomID, argument, to: client)
    }

    /// Tells a client that it was removed from a room. The event has no offset, so a mark in the trail says whether the
    /// client has seen it.
    func tellEnding(of roomID: RoomID, _ argument: [UInt8], to client: RelayClient) {
        let mark = context.takeMembershipNumber()
        client.note(LostClient.Ending(id: roomID, argument: argument, membership: mark, seq: 0))
        client.socket.emit("room:closed", argument)
        if client.form.contains(.offsets) { client.trail.joined(mark, incarnation: 0, at: 0) }
    }

    // MARK: Closed rooms

    /// A room was closed: no client of this shard is in it any more. A client that is behind still gets the rest of the
    /// log.
    func retire(_ room: LocalRoom) {
        if locals[room.id] === room { locals[room.id] = nil }
        for client in room.members {
            guard let index = client.memberships.firstIndex(where: { $0.room === room }) else { continue }
            let membership = client.memberships.remove(at: index)
            client.views[room.id] = nil
            client.farewells.append(membership)
            client.note(
                LostClient.Ending(
                    id: room.id, argument: room.closing, membership: membership.number, seq: room.lastSeq))
            stand(client, in: room.id)
            bidFarewell(client)
        }
    }

    /// Writes the rest of closed rooms' logs to a client, as far as the client takes it.
    func bidFarewell(_ client: RelayClient) {
        for farewell in client.farewells { farewell.room.deliver(to: client) }
        client.farewells.removeAll { farewell in
            let isDone = farewell.room.hasAll(client)
            if isDone { farewell.room.remove(client) }
            return isDone
        }
        // Without this bound, a client that reads slowly while its rooms are closed one after another would keep all
        // their logs in memory.
        guard client.farewells.count > configuration.roomsPerConnectionMax else { return }
        let session = client.session
        loop.atTurnEnd { session.close(.slowReader) }
    }

    /// A client gets the whole state of a room with the same id as a closed one, so it does not need the rest of the
    /// old log.
    func dropFarewell(_ client: RelayClient, to roomID: RoomID) {
        client.farewells.removeAll { farewell in
            if farewell.room.id == roomID { farewell.room.remove(client) }
            return farewell.room.id == roomID
        }
        client.forgetEnding(of: roomID)
    }
}
