import Relay
import Rooms
import Sessions
import Wire

/// What clients do.
extension Simulation {
    func act(_ client: ModelClient) {
        guard let connection = client.connection else { return connect(client) }
        guard client.isConnected, connection.sent.count < 20 else { return }
        let room = random.below(truths.count)
        let phase = client.views[room]?.phase ?? .outside
        switch phase {
        case .outside, .unknown:
            // Some do what makes no sense.
            if random.percent(95) { return join(client, connection, room) }
        case .joining:
            if random.percent(70) { return }
            if random.percent(10) { return leave(client, connection, room) }
        case .leaving:
            // Some come back before they have the answer. The next state is that of this join.
            guard random.percent(20), !client.questions.values.contains(where: \.isJoin) else { return }
            return join(client, connection, room)
        case .inside: break
        }
        if isAboutTexts, phase == .inside { return writeOnly(client, connection, room) }
        if isCrowd, phase == .inside, random.percent(80) {
            if random.percent(12) { look(client, connection, room) } else { move(client, connection, room) }
            return
        }
        if random.percent(30), phase == .inside { return write(client, connection, room) }
        if client.looksAround, random.percent(10) { return look(client, connection, room) }
        switch random.below(100) {
        case 0..<45: move(client, connection, room)
        case 45..<57: send("touch:end", "", .end(room: room), client, connection, room)
        case 57..<72: create(client, connection, room)
        case 72..<82: update(client, connection, room)
        case 82..<89:
            let id = element(client, room)
            send("element:delete", ",\"elementId\":\"\(id)\"", .delete(room: room, id: id), client, connection, room)
        case 89..<93: if phase == .inside { join(client, connection, room) }
        default: if phase == .inside { leave(client, connection, room) }
        }
    }

    func send(
        _ name: String, _ members: String, _ question: ModelClient.Question?, _ client: ModelClient,
        _ connection: SimulatedConnection, _ room: Int
    ) {
        let ackID = question.map { client.ask($0, in: room) }
        note("client \(client.number) sends \(name) r\(room)\(members)")
        let arguments = Array("{\"roomId\":\"r\(room)\"\(members)}".utf8)
        connection.sent.append(.event(name: name, arguments: arguments, ackID: ackID))
    }

    private func join(_ client: ModelClient, _ connection: SimulatedConnection, _ room: Int) {
        var view = client.views[room] ?? ModelClient.View()
        // What it sees ends with the leave before.
        if view.phase == .leaving { view.endSight() }
        if view.phase != .inside { view.phase = .joining }
        view.hasLeft = false
        client.views[room] = view
        send("room:join", "", .join(room: room), client, connection, room)
    }

    private func leave(_ client: ModelClient, _ connection: SimulatedConnection, _ room: Int) {
        // It knows which leave is answered.
        let isLeaving = client.questions.values.contains { if case .leave(room) = $0 { true } else { false } }
        guard !isLeaving else { return }
        client.views[room]?.phase = .leaving
        client.accepted[room] = nil
        departures.insert("\(client.person)/\(room)")
        send("room:leave", "", .leave(room: room), client, connection, room)
    }

    private func move(_ client: ModelClient, _ connection: SimulatedConnection, _ room: Int) {
        lastNumber += 1
        let element = random.percent(20) ? ",\"elementId\":\"e\(random.below(100))\"" : ""
        send(
            "touch:move", ",\"x\":\(lastNumber),\"y\":\(nextPlace(of: client) + client.number)\(element)",
            random.percent(60) ? .move(room: room, number: lastNumber, watchers: watchers(of: room)) : nil, client,
            connection, room)
    }

    func create(_ client: ModelClient, _ connection: SimulatedConnection, _ room: Int) {
        let clientID = random.percent(50) ? "c\(random.below(2))" : nil
        let length = random.percent(10) ? 400 : random.below(40)
        let content = String(repeating: "c", count: length)
        let named = clientID.map { ",\"clientId\":\"\($0)\"" } ?? ""
        send(
            "element:create",
            ",\"type\":\"note\",\"positionX\":\(random.below(100)),\"positionY\":1,\"width\":2,\"height\":3"
                + ",\"content\":\"\(content)\"\(named)",
            .create(room: room, clientID: clientID), client, connection, room)
    }

    private func update(_ client: ModelClient, _ connection: SimulatedConnection, _ room: Int) {
        let id = element(client, room)
        let element = client.views[room]?.state.elements[id]
        var (version, known) = random.percent(50) ? (element?.version, element?.json) : (nil, nil)
        if random.percent(10) { (version, known) = (1, nil) }
        let asked = version.map { ",\"version\":\($0)" } ?? ""
        send(
            "element:update", ",\"elementId\":\"\(id)\",\"positionX\":\(random.below(1_000))\(asked)",
            .update(room: room, version: version, known: known), client, connection, room)
    }

    /// One that the client sees, or sometimes any.
    func element(_ client: ModelClient, _ room: Int) -> String {
        let seen = client.views[room]?.state.elements.keys.sorted() ?? []
        return random.percent(90) ? random.pick(seen) ?? "none" : "e\(random.below(50))"
    }

    // MARK: Connections

    private func connect(_ client: ModelClient) {
        guard let node = random.pick(running.filter { !$0.isDraining }) else { return }
        let server = node.server
        lastNumber += 1
        let shard = random.below(server.loops.count)
        // One that keeps up, one that reads slowly, one that stalls.
        let readMax = random.pick([100_000, 100_000, 300, 40, 0]) ?? 0
        let capacity = random.pick([100_000, 4_000, 700, 90]) ?? 0
        let connection = SimulatedConnection(
            client, lastNumber, server.loops[shard], server.relays[shard].edge, self, readMax: readMax,
            capacity: capacity)
        var payload: RecoveryPayload?
        if let pid = client.pid.flatMap(SessionID.init), random.percent(90) {
            payload = RecoveryPayload(pid: pid, offset: claimedOffset(of: client))
        } else {
            client.pid = nil
        }
        note("client \(client.number), p\(client.person), has \(connection.name), \(payload == nil ? "anew" : "back")")
        client.begin(connection, at: lastNumber)
        server.add(connection)
        connection.sent.append(.connect(payload))
    }

    /// The last offset that the client has seen; with some planted bugs another.
    private func claimedOffset(of client: ModelClient) -> LogOffset? {
        guard let offset = client.offset else { return nil }
        switch fault {
        case .claimsUnseen: return client.lastWrittenOffset ?? offset
        case .resumesTooLate where offset.membership == nil:
            return LogOffset(seq: offset.seq + 1, incarnation: offset.incarnation)
        case .resumesTooEarly where offset.membership == nil && offset.seq > 1:
            return LogOffset(seq: offset.seq - 1, incarnation: offset.incarnation)
        default: return offset
        }
    }

    /// The client's device loses its connection, or its user closes it. The server may notice later.
    func vanish(_ client: ModelClient) {
        guard let connection = client.connection else { return }
        // What is on its way may still arrive in part.
        read(client, max: random.below(2_000))
        guard client.connection === connection else { return }
        note("\(connection.name) vanishes")
        connection.isGone = true
        if isCluster { forgive(client) }
        client.lastWrittenOffset = connection.writtenOffset
        client.lostConnection()
    }

    /// A connection has ended on the server.
    func ended(_ connection: SimulatedConnection) {
        connection.loop.node.server.remove(connection)
        losses[connection.client.person, default: []].append(now.monotonic)
    }

    // MARK: Reading

    func read(_ client: ModelClient, max: Int? = nil) {
        guard let connection = client.connection else { return }
        if random.percent(5) { connection.readMax = random.pick([100_000, 300, 40, 0]) ?? 0 }
        let bytes = connection.pipe.read(max ?? connection.readMax)
        if let problem = client.receive(bytes, in: self) {
            fail("client \(client.number), p\(client.person), got \(problem)")
        }
        guard !connection.isOpen, connection.pipe.isEmpty else { return }
        note("client \(client.number) hears the end of \(connection.name)")
        client.lastWrittenOffset = connection.writtenOffset
        if isCluster { forgive(client) }
        client.lostConnection()
    }

    // MARK: Answers

    /// Whether an answer may be given at all.
    func judge(_ error: String?, of question: ModelClient.Question, _ client: ModelClient) -> String? {
        switch error {
        case nil, "FORBIDDEN", "VALIDATION_ERROR", "RATE_LIMITED": break
        case "CONFLICT": reach(.conflict)
        case "NOT_FOUND": reach(.notFound)
        case "ROOM_FULL": reach(.roomFull)
        case "SERVER_ERROR":
            reach(.overwhelmed)
            if database == nil, mailboxItemsMax == .max { return "SERVER_ERROR for \(question)" }
        default: return "\(error ?? "") for \(question)"
        }
        return nil
    }

    func created(
        _ element: JSONReader?, _ room: Int, _ clientID: String?, by client: ModelClient
    ) -> String? {
        guard let id = element?["id"]?.string else { return "a creation without an element" }
        acked[room, default: []].insert("\(id)@1")
        guard let clientID else { return nil }
        let key = "\(client.person)/\(clientID)"
        if let known = creations[room]?[key] {
            reach(.resentCreation)
            if known != id { return "a creation was made twice" }
        }
        creations[room, default: [:]][key] = id
        return nil
    }

    func updated(_ element: JSONReader?, _ room: Int, _ version: Int?, _ known: [UInt8]?) -> String? {
        guard let id = element?["id"]?.string, let now = element?["version"]?.int else {
            return "a change without an element"
        }
        acked[room, default: []].insert("\(id)@\(now)")
        if let known { conditions[room, default: []].append((change: "\(id)@\(now)", known: known)) }
        if let version, !RoomTruth.follows(now, version) { return "a change to another version than asked for" }
        return nil
    }

    func deleted(_ id: String, _ version: Int, _ room: Int) {
        acked[room, default: []].insert("\(id)@\(version)")
    }
}
