import Rooms
import Sessions
import Transport
import Wire

/// Rooms that are closed, and people who are sent out of one.
extension Relay {
    /// Takes a connection out of a room and tells it why. What it asked for before and the room has not answered is
    /// refused with `error`.
    func evict(_ connection: ConnectionID, _ home: HomeRoom, reason: String, _ error: RoomError) {
        for waiting in home.takeEntering(connection) { waiting.job(self, .failure(error)) }
        for join in home.unsubscribe(connection) { join.answer(.failure(error)) }
        let roomID = home.id
        atClient(connection) { relay, client in
            guard let membership = client.memberships.first(where: { $0.room.id == roomID }) else { return }
            let room = membership.room
            client.lastEviction = (membership.number, error)
            client.removeMembership(of: room)
            relay.drop(client, from: room)
            relay.stand(client, in: roomID)
            var argument: [UInt8] = []
            Room.appendClosed(room.idJSON, reason, to: &argument)
            relay.tellEnding(of: roomID, argument, to: client)
        }
    }

    /// Tells a client that it was put out of a room. What tells of it has no offset, so a mark in the trail says whether
    /// it was seen.
    func tellEnding(of roomID: RoomID, _ argument: [UInt8], to client: RelayClient) {
        let mark = takeMembershipNumber()
        client.note(LostClient.Ending(id: roomID, argument: argument, membership: mark, seq: 0))
        client.socket.emit("room:closed", argument)
        if client.wantsOffsets { client.trail.joined(mark, incarnation: 0, at: 0) }
    }

    /// Closes a room at once, on its home shard: what has happened in it goes out with that, as its last delta.
    func close(_ home: HomeRoom, reason: String) {
        let joins = home.takeJoins()
        home.room.close(reason: reason)
        let (delta, subscribers) = (home.room.takeDelta(), home.subscribers)
        store(home)
        home.countTick(delta, at: shard.now)
        // A write that fails takes its client out of its rooms at once: this is none of them any more.
        close(home)
        if let delta { publish(delta, of: home, to: subscribers) }
        let error = RoomError(.notFound, "The room is closed.")
        for join in joins { join.answer(.failure(error)) }
        while let waiting = home.takeEntering() { waiting.job(self, .failure(error)) }
    }

    /// A room has been closed: nobody on this shard is in it any more. Who is behind still gets its log to the end.
    func retire(_ room: LocalRoom) {
        if locals[room.id] === room { locals[room.id] = nil }
        for client in room.members {
            guard let index = client.memberships.firstIndex(where: { $0.room === room }) else { continue }
            let membership = client.memberships.remove(at: index)
            client.farewells.append(membership)
            client.note(
                LostClient.Ending(
                    id: room.id, argument: room.closing, membership: membership.number, seq: room.lastSeq))
            stand(client, in: room.id)
            bidFarewell(client)
        }
    }

    /// Sends a client what is left of closed rooms' logs, as far as it takes it.
    func bidFarewell(_ client: RelayClient) {
        for farewell in client.farewells { farewell.room.deliver(to: client) }
        client.farewells.removeAll { farewell in
            let isDone = farewell.room.hasAll(client)
            if isDone { farewell.room.remove(client) }
            return isDone
        }
        // Who reads so slowly while its rooms are closed one after another holds their logs.
        guard client.farewells.count > configuration.roomsPerConnectionMax else { return }
        let session = client.socket.session
        shard.atTurnEnd { session.close(.slowReader) }
    }

    /// A client is told the whole state of a room that has the id of one that was closed.
    func dropFarewell(_ client: RelayClient, to roomID: RoomID) {
        client.farewells.removeAll { farewell in
            if farewell.room.id == roomID { farewell.room.remove(client) }
            return farewell.room.id == roomID
        }
        client.forgetEnding(of: roomID)
    }
}
