import Rooms
import Wire

/// What a room's home does.
extension Simulation {
    func homeShard(_ room: Int) -> Int { room % shards.count }

    func post(_ message: SimulatedMessage, from: Int, to: Int) {
        // On the same shard nothing lies between.
        if from == to { return handle(message, on: to) }
        mailboxes[from * shards.count + to].append(message)
    }

    func handOverAny() {
        if let box = random.pick(mailboxes.indices.filter { !mailboxes[$0].isEmpty }) { handOver(box) }
    }

    func handOver(_ box: Int) {
        handle(mailboxes[box].removeFirst(), on: box % shards.count)
    }

    private func handle(_ message: SimulatedMessage, on shard: Int) {
        switch message {
        case .join(let request): join(request)
        case .leave(let room, let connection): leave(room, connection, isLoss: fault == .hasNoGrace ? false : nil)
        case .lose(let room, let connection): leave(room, connection, isLoss: fault != .hasNoGrace)
        case .act(let room, let connection, let act): perform(act, room, connection)
        case .delta, .joined, .refused, .takenOver: deliver(message, on: shards[shard])
        }
    }

    func changed(_ room: Int) {
        guard let home = homes[room] else { return }
        if let problem = home.problem() { fail("r\(room): \(problem)") }
        guard home.isEmpty else { return }
        // The last has left: nobody is there to be told of what is still to be told.
        if let delta = home.room.takeDelta(), let problem = truths[room]?.record(delta) { fail("r\(room): \(problem)") }
        contents[room] = home.room.contents
        homes[room] = nil
        reach(.roomEmptied)
        note("r\(room) is not in use any more")
    }

    // MARK: Presence

    private func join(_ request: JoinRequest) {
        let room = request.room
        let home = homes[room] ?? SimulatedHome(room, limits: limits, contents: contents[room])
        homes[room] = home
        var profile = Array("{\"id\":\"p".utf8)
        profile.append(contentsOf: "\(request.person)\"}".utf8)
        let person = Person(id: "p\(request.person)", profile: profile)
        do throws(RoomError) {
            let isNew = home.person(of: request.connection) == nil
            reach(.graceUsed, if: home.people[request.person]?.graceEnds != nil)
            let joined = try home.room.join(request.connection, person, at: now)
            let takenOver = home.joined(request.connection, request.person)
            if joined.takenOver != takenOver { fail("\(request.connection) took over another than expected") }
            if isNew { home.subscribed.append(request.connection) }
            home.pending.append((request, joined.slot))
            note("r\(room): \(Self.name(request.connection)) is in as p\(request.person), slot \(joined.slot)")
            if let takenOver {
                unsubscribe(takenOver, home)
                post(.takenOver(room: room, takenOver), from: homeShard(room), to: takenOver.shard)
            }
        } catch {
            let isFull = home.people.count == limits.participantsMax && home.people[request.person] == nil
            if error.code != .roomFull || !isFull { fail("a join was refused: \(error.message)") }
            reach(.roomFull)
            post(.refused(request), from: homeShard(room), to: request.connection.shard)
        }
        changed(room)
    }

    func unsubscribe(_ connection: ConnectionID, _ home: SimulatedHome) {
        home.subscribed.removeAll { $0 == connection }
        home.pending.removeAll { $0.request.connection == connection }
    }

    /// - Parameter isLoss: false also for a loss, where that is the planted bug; nil when the client asked for it.
    private func leave(_ room: Int, _ connection: ConnectionID, isLoss: Bool?) {
        guard let home = homes[room] else { return }
        note("r\(room): \(Self.name(connection)) \(isLoss == true ? "is lost" : "leaves")")
        unsubscribe(connection, home)
        if isLoss == true {
            let hadTouch = home.hasOtherDevice(connection) && home.hasTouch(of: connection)
            reach(.touchEndedWithDevice, if: hadTouch)
            home.room.lose(connection, at: now)
            home.lost(connection, at: now)
        } else {
            let isThere = home.person(of: connection) != nil
            do throws(RoomError) {
                try home.room.leave(connection)
                if !isThere { fail("a stranger left") }
            } catch {
                if isThere { fail("a member could not leave") }
            }
            if isLoss == nil || fault != .hasNoGrace { home.left(connection) } else { home.lost(connection, at: now) }
        }
        changed(room)
    }

    func expireGraces(_ room: Int) {
        guard let home = homes[room] else { return }
        reach(.graceEnded, if: home.room.nextGraceEnds.map { $0 <= now.monotonic } == true)
        if fault != .neverEndsGrace { home.room.expireGraces(at: now) }
        home.expired(at: now)
        changed(room)
    }

    // MARK: Events

    private func perform(_ act: SimulatedAct, _ room: Int, _ connection: ConnectionID) {
        guard let home = homes[room] else { return }
        let person = home.person(of: connection)
        do throws(RoomError) {
            try perform(act, home, room, connection, person ?? -1)
            if person == nil { fail("a stranger could \(act)") }
        } catch {
            reach(.conflict, if: error.code == .conflict)
            reach(.notFound, if: error.code == .notFound)
            reach(.roomLimit, if: error.code == .validation)
            if case .create = act { reach(.createdAgainAfterDeletion, if: error.code == .notFound) }
            if (error.code == .forbidden) != (person == nil) { fail("\(act) was refused: \(error.message)") }
        }
        changed(room)
    }

    private func perform(
        _ act: SimulatedAct, _ home: SimulatedHome, _ room: Int, _ connection: ConnectionID, _ person: Int
    ) throws(RoomError) {
        switch act {
        case .move(let hasElement): try move(home, room, connection, person, hasElement: hasElement)
        case .end:
            try home.room.endTouch(of: connection)
            reach(.touchEnded, if: home.people[person]?.touch != nil)
            home.ended(person)
        case .create(let clientID): try create(home, room, connection, person, clientID)
        case .update(let id, let version):
            var changes: [[UInt8]?] = Array(repeating: nil, count: Element.Field.allCases.count)
            changes[random.below(changes.count)] = Array("\(random.below(1_000))".utf8)
            let element = try home.room.update(id, changes, version: version, by: connection, at: now)
            if let version, element.version != version + 1 { fail("a change to another version than asked for") }
        case .delete(let id): _ = try home.room.delete(id, by: connection)
        }
    }

    private func move(
        _ home: SimulatedHome, _ room: Int, _ connection: ConnectionID, _ person: Int, hasElement: Bool
    ) throws(RoomError) {
        // Counted where the room's order is made, so that a person's devices share the count.
        let x = (positions[room * 1_000 + person] ?? 0) + 1
        let xJSON = Array("\(x)".utf8)
        let yJSON = Array(String(repeating: "7", count: 1 + random.below(30)).utf8)
        let elementJSON = hasElement ? Array("\"e\(random.below(100))\"".utf8) : []
        try home.room.moveTouch(
            of: connection, slot: random.below(4) - 1, x: xJSON.span, y: yJSON.span, elementID: elementJSON.span)
        positions[room * 1_000 + person] = x
        home.moved(person, x, by: connection)
        note("r\(room): \(Self.name(connection)) moves p\(person) to \(x)")
    }

    private func create(
        _ home: SimulatedHome, _ room: Int, _ connection: ConnectionID, _ person: Int, _ clientID: String?
    ) throws(RoomError) {
        lastNumber += 1
        var values = Element.noValues
        for field in 0..<4 { values[field] = Array("\(random.below(100))".utf8) }
        let length = random.percent(10) ? 400 : random.below(40)
        values[Element.Field.content.rawValue] = Array("\"\(String(repeating: "c", count: length))\"".utf8)
        let creation = Room.Creation(kind: .note, values: values, clientID: clientID)
        let element = try home.room.create(creation, by: connection, newID: "e\(lastNumber)", at: now)
        if element.version == 1, element.id == "e\(lastNumber)" { note("r\(room): \(element.id) is made") }
        reach(.resentCreation, if: element.id != "e\(lastNumber)")
        guard let clientID else { return }
        let key = "\(room)/\(person)/\(clientID)"
        if creations[key, default: element.id] != element.id { fail("a creation was made twice") }
        creations[key] = element.id
    }

    // MARK: Ticks

    func tick(_ room: Int) {
        guard let home = homes[room] else { return }
        let delta = home.room.takeDelta()
        if let delta {
            note("r\(room): tick \(delta.tick) with \(delta.entries.count) entries, \(delta.touches.count) touches")
            if let problem = truths[room]?.record(delta) { fail("r\(room): \(problem)") }
        }
        // Before anything is delivered: a connection that fails on the way changes the room.
        let answers = takeAnswers(room, home)
        let subscribers = home.subscribers
        let isReversed = strikes(.answersBeforeDelta)
        if isReversed { for answer in answers { post(answer) } }
        if let delta {
            for shard in subscribers { post(.delta(room: room, delta), from: homeShard(room), to: shard) }
        }
        if !isReversed { for answer in answers { post(answer) } }
    }

    private func post(_ answer: SimulatedAnswer) {
        post(.joined(answer), from: homeShard(answer.request.room), to: answer.request.connection.shard)
    }

    private func takeAnswers(_ room: Int, _ home: SimulatedHome) -> [SimulatedAnswer] {
        guard !home.pending.isEmpty, let truth = truths[room] else { return [] }
        let pending = home.pending
        home.pending = []
        let snapshot = home.room.snapshot()
        return pending.map { request, slot in
            let missed = request.since.flatMap { home.room.entries(after: $0) }
            var json: [UInt8] = []
            if missed == nil { home.room.state().append(to: &json, self: home.room.listed(slot)) }
            promises[request.number] = Promise(
                seq: missed == nil ? truth.lastSeq : request.since ?? 0, state: truth.state,
                participation: truth.participationOfSlot[slot] ?? 0)
            return SimulatedAnswer(
                request: request, slot: slot, snapshot: snapshot, seq: home.room.lastSeq, missed: missed, json: json)
        }
    }

    static func name(_ connection: ConnectionID) -> String { "connection \(connection.number) on \(connection.shard)" }
}
