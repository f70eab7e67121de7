import Rooms

/// What others than its members do to a room, on its home.
extension Simulation {
    func command(_ room: Int) {
        guard let home = homes[room] else { return }
        switch random.below(4) {
        case 0: closeRoom(room, home)
        case 1: rename(room, home)
        default: if let person = random.pick(home.people.keys.sorted()) { expel(person, room, home) }
        }
    }

    private func rename(_ room: Int, _ home: SimulatedHome) {
        note("r\(room) is renamed")
        lastNumber += 1
        do throws(RoomError) {
            try home.room.rename(to: "name \(lastNumber)")
            reach(.renamed)
        } catch {
            fail("r\(room) was not renamed: \(error.message)")
        }
    }

    private func expel(_ person: Int, _ room: Int, _ home: SimulatedHome) {
        note("p\(person) is expelled from r\(room)")
        let expected = home.expelled(person)
        let connections = home.room.expel("p\(person)")
        if connections != expected { fail("\(connections) were expelled instead of \(expected)") }
        reach(.expelled, if: !connections.isEmpty)
        for connection in connections { unsubscribe(connection, home) }
        for connection in connections {
            post(.takenOver(room: room, connection), from: homeShard(room), to: connection.shard)
        }
        changed(room)
    }

    private func closeRoom(_ room: Int, _ home: SimulatedHome) {
        note("r\(room) is closed")
        reach(.closed)
        home.room.close(reason: "deleted")
        home.room.checkInvariants()
        let subscribers = home.subscribers
        contents[room] = home.room.contents
        homes[room] = nil
        if let delta = home.room.takeDelta() {
            if !delta.isLast { fail("a closed room without an end") }
            if let problem = truths[room]?.record(delta) { fail("r\(room): \(problem)") }
            for shard in subscribers { post(.delta(room: room, delta), from: homeShard(room), to: shard) }
        }
        for (request, _) in home.pending {
            post(.refused(request), from: homeShard(room), to: request.connection.shard)
        }
    }

    // MARK: On the members' shards

    /// A room has been closed: its members are in it no more, but who is behind still gets its log to the end.
    func retire(_ room: Int, _ shard: SimulatedShard) {
        guard let replica = shard.replicas.removeValue(forKey: room) else { return }
        lastNumber += 1
        let key = -lastNumber
        shard.replicas[key] = replica
        for member in replica.members {
            guard let connection = shard.connections[member.connection] else { continue }
            connection.rooms.removeAll { $0 == room }
            connection.farewells.append((key, room))
            bidFarewell(connection, shard)
            reach(.closedWhileBehind, if: !connection.farewells.isEmpty)
        }
    }

    func bidFarewell(_ connection: SimulatedConnection, _ shard: SimulatedShard) {
        for (key, _) in connection.farewells { deliver(key, to: connection, shard) }
        dropFarewells(connection, shard) { key, _ in
            guard let replica = shard.replicas[key], let index = replica.index(of: connection.id) else { return true }
            return replica.hasAll(index)
        }
    }

    func dropFarewells(
        _ connection: SimulatedConnection, _ shard: SimulatedShard, where isDone: (_ key: Int, _ room: Int) -> Bool
    ) {
        connection.farewells.removeAll { key, room in
            guard isDone(key, room) else { return false }
            shard.remove(connection.id, from: key)
            return true
        }
    }
}
