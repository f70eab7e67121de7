import Rooms

/// What clients do.
extension Simulation {
    func act(_ client: ModelClient) {
        guard let connection = client.connection else { return comeBack(client) }
        let room = random.below(truths.count)
        let isInside = client.views[room]?.phase == .inside
        // Some do what makes no sense.
        guard isInside || random.percent(5) else { return join(client, connection, room) }
        switch random.below(100) {
        case 0..<45: perform(.move(element: random.percent(20)), room, connection)
        case 45..<60: perform(.end, room, connection)
        case 60..<75:
            let clientID = random.percent(50) ? "c\(random.below(2))" : nil
            perform(.create(clientID: clientID), room, connection)
        case 75..<83: update(client, room, connection)
        case 83..<90: perform(.delete(element(client, room)), room, connection)
        case 90..<93: join(client, connection, room)
        default: leave(client, connection, room)
        }
    }

    private func perform(_ act: SimulatedAct, _ room: Int, _ connection: SimulatedConnection) {
        note("client \(connection.client.number) wants \(act) in r\(room)")
        post(.act(room: room, connection.id, act), from: connection.id.shard, to: homeShard(room))
    }

    private func update(_ client: ModelClient, _ room: Int, _ connection: SimulatedConnection) {
        let id = element(client, room)
        var version = random.percent(50) ? client.views[room]?.state.elements[id]?.version : nil
        if random.percent(10) { version = 1 }
        perform(.update(id, version: version), room, connection)
    }

    /// One that the client sees, or sometimes any.
    private func element(_ client: ModelClient, _ room: Int) -> String {
        let seen = client.views[room]?.state.elements.keys.sorted() ?? []
        return random.percent(90) ? random.pick(seen) ?? "e1" : "e\(random.below(50))"
    }

    // MARK: Coming and going

    private func comeBack(_ client: ModelClient) {
        lastNumber += 1
        let shard = random.pick(shards) ?? shards[0]
        let id = ConnectionID(shard: shard.number, number: UInt64(lastNumber))
        // One that keeps up, one that reads slowly, one that stalls.
        let readMax = random.pick([100_000, 100_000, 300, 40, 0]) ?? 0
        let capacity = random.pick([100_000, 4_000, 700, 90]) ?? 0
        let connection = SimulatedConnection(id, client, readMax: readMax, capacity: capacity)
        note("client \(client.number), p\(client.person), has \(Self.name(id))")
        shard.connections[id] = connection
        client.connection = connection
        client.forgetInbox()
        connection.trail = client.trail
        connection.trail.rewind(to: client.offset)
        for room in client.views.keys.sorted() {
            let phase = client.views[room]?.phase
            client.views[room]?.phase = .outside
            guard phase == .inside || phase == .resuming else { continue }
            if random.percent(70) {
                let membership = client.memberships[room] ?? 0
                let since = client.hasOffsets ? cursor(of: membership, room, connection) : client.views[room]?.seq
                join(client, connection, room, since: since, membership)
            } else if random.percent(50) {
                join(client, connection, room)
            }
        }
    }

    /// How far a client that comes back with an offset has come in a room.
    private func cursor(of membership: UInt64, _ room: Int, _ connection: SimulatedConnection) -> UInt64? {
        let client = connection.client
        var cursor = connection.trail.cursor(of: membership)
        if fault == .trailsOtherRooms, cursor != nil, client.offset?.incarnation != Self.incarnation(room) {
            cursor = client.trail.cursor(of: membership)
        }
        reach(cursor == nil ? .trailUnknown : .resumedByTrail)
        if let cursor, let truth = truths[room], let view = client.views[room], cursor > view.seq {
            // The server has passed over what was not for it.
            let passed = truth.entries[Int(view.seq)..<Int(cursor)]
            if !passed.allSatisfy({ $0.except == view.participation }) { fail("a trail that is ahead of its client") }
            client.views[room]?.seq = cursor
        }
        return cursor
    }

    private func join(
        _ client: ModelClient, _ connection: SimulatedConnection, _ room: Int, since: UInt64? = nil,
        _ membership: UInt64 = 0
    ) {
        lastNumber += 1
        let request = JoinRequest(
            number: lastNumber, room: room, connection: connection.id, person: client.person, since: since,
            membership: membership)
        note("client \(client.number) wants into r\(room)\(since.map { " after \($0)" } ?? "")")
        var view = client.views[room] ?? ModelClient.View()
        if view.phase == .outside {
            view.firstRequest = request.number
            view.phase = since == nil ? .joining : .resuming
        }
        client.views[room] = view
        connection.joining[room] = request.number
        post(.join(request), from: connection.id.shard, to: homeShard(room))
    }

    private func leave(_ client: ModelClient, _ connection: SimulatedConnection, _ room: Int) {
        note("client \(client.number) leaves r\(room)")
        client.views[room]?.phase = .outside
        client.views[room]?.firstRequest = .max
        connection.joining[room] = nil
        connection.rooms.removeAll { $0 == room }
        if let membership = connection.memberships.removeValue(forKey: room) { connection.trail.left(membership) }
        shards[connection.id.shard].remove(connection.id, from: room)
        post(.leave(room: room, connection.id), from: connection.id.shard, to: homeShard(room))
    }

    func vanish(_ connection: SimulatedConnection) {
        // What is on its way may still arrive in part.
        read(connection, max: random.below(2_000))
        note("\(Self.name(connection.id)) vanishes")
        close(connection)
    }

    // MARK: Reading

    func read(_ connection: SimulatedConnection, max: Int? = nil) {
        if random.percent(5) { connection.readMax = random.pick([100_000, 300, 40, 0]) ?? 0 }
        let wasBlocked = connection.pipe.isBlocked
        let bytes = connection.pipe.read(max ?? connection.readMax)
        if let problem = connection.client.receive(bytes, in: self) {
            fail("client \(connection.client.number), p\(connection.client.person), got \(problem)")
        }
        if wasBlocked, !connection.pipe.isBlocked { writable(connection, shards[connection.id.shard]) }
    }
}
