import Rooms
import Sessions
import Store
import Transport

/// Rooms whose home is another node.
///
/// The shard that would be a room's home on this node has its `Outpost`. It forwards what clients of this node send, and
/// spreads what the home sends. When the home is lost, or is not the home any more, the outpost goes. The members enter
/// the room again, silently and with their cursors, wherever it is then: its new home may be this node.
extension Home {
    /// The node of a home cannot be reached, and it is not over yet.
    private static let retryMilliseconds = 300
    /// How long clients wait for it before they are refused, or told to ask again.
    static let patienceMilliseconds: Int64 = 6_000
    static let hasMoved = RoomError(
        .server, "The room is moving to another server. The change may be made or not: look at the room in a moment.")
    static let unreachable = RoomError(.server, "The room cannot be reached at the moment.")

    // MARK: To the home

    func forward(_ errand: RoomErrand, to outpost: Outpost) {
        switch errand {
        case .enter(let entry): forward(entry, to: outpost)
        case .change(let request, let asker): ask(.change(request, asker), outpost)
        case .command(let command, let question): ask(.command(command, question: question), outpost)
        }
    }

    /// What a client of this node, or a command of this server, sends to a room elsewhere.
    func forward(_ message: HomeMessage, to outpost: Outpost) {
        switch message {
        case .enter(let entry): return forward(entry, to: outpost)
        case .leave(let connection, let leaving):
            pay(outpost, of: connection)
            forgetKept(of: connection, outpost.id, leaving)
            // The home confirms that it has stored the end. Until then the touch is kept.
            if leaving == .forGood, outpost.isTouching(connection) { forward(.endTouch(connection), to: outpost) }
            outpost.remove(connection, keepsTouch: leaving != .lost)
            send(message, to: outpost)
            sightChanged(outpost)
            return endIfEmpty(outpost)
        case .notPermitted(let connection):
            if !outpost.members.contains(connection) { outpost.touches.remove(connection) }
            return forgetKept(of: connection, outpost.id)
        case .endTouch(let connection, _):
            pay(outpost, of: connection)
            lastEnd += 1
            outpost.touches.end(connection, lastEnd, isSent: outpost.members.contains(connection))
            homeless[outpost.id]?.touches.end(connection, lastEnd)
            return send(.endTouch(connection, number: lastEnd), to: outpost)
        case .change(let request, let asker):
            // Its member is about to enter the room's new home.
            if outpost.waits(for: asker), keep(request, asker, outpost.id) { return }
            return ask(message, outpost)
        case .changeFromOutside, .command: return ask(message, outpost)
        case .view(let connection, let area):
            outpost.setView(area, of: connection)
            return sightChanged(outpost)
        case .caret, .sight: break
        case .permissionsChanged: hub.permissions.change(outpost.id)
        case .gaveUp, .loaded, .isHome, .appended, .lossCounted: return
        case .released(let isStored): return hasReleased(outpost.id, isStored: isStored)
        case .foundNext: return hasNextHome(outpost.id)
        case .recording(let news): return received(news, outpost.id)
        }
        send(message, to: outpost)
    }

    /// Sends a request that the home answers.
    private func ask(_ request: HomeMessage, _ outpost: Outpost) {
        outpost.ask(request)
        send(request, to: outpost)
    }

    private func forward(_ entry: Entry, to outpost: Outpost) {
        guard hub.permissions[entry.room] == entry.mark else { return tell(entry.connection, .lookUpAgain(entry)) }
        if outpost.stateByteCount > 0, let (wait, scope) = charge(entry.budget, outpost.stateByteCount) {
            return refuse(entry, wait, scope)
        }
        outpost.enter(entry)
        var marked = entry
        marked.mark = outpost.homeMark ?? .max
        marked.touchFollows = lastTouch(of: entry.connection, outpost).map { !$0.isOver } ?? false
        send(.enter(marked), to: outpost)
    }

    /// Where it cannot be sent, the loss of the pipe comes next.
    private func send(_ message: HomeMessage, to outpost: Outpost) {
        context.post(.home(outpost.id, message), to: outpost.node)
    }

    /// Positions of members, for rooms elsewhere: one message for each node.
    func forward(_ parcels: [(Outpost, TouchParcel)]) {
        var byNode: [Int: [TouchParcel]] = [:]
        for (outpost, parcel) in parcels {
            if context.isLate(outpost.node) {
                outpost.owe(parcel)
                owe(outpost.id)
                continue
            }
            outpost.send(parcel)
            byNode[outpost.node, default: []].append(parcel)
        }
        for (node, parcels) in byNode.sorted(by: { $0.key < $1.key }) { context.post(.touches(parcels), to: node) }
    }

    /// A client or a question of another node came to this one, which is not the room's home.
    func refuseHome(_ id: RoomID, to node: Int) {
        context.post(.outpost(id, .notHome, from: hub.node), to: node)
    }

    /// A change in a room that this shard does not order now.
    func changeNowhere(_ id: RoomID, _ request: ElementRequest, _ asker: ElementAsker) {
        guard hub.cluster != nil else {
            return answer(asker, .failure(RoomError(.notFound, "The room is closed.")), id)
        }
        // For REST the room is opened.
        guard case .member(let connection, _, _) = asker else { return withRoom(id, [], .change(request, asker)) }
        // Of a room that was closed this node still answers changes.
        if connection.node != hub.node, isHandingOver, released[id] != nil || settling[id] == nil {
            return giveAway(id, to: connection.node)
        }
        if !keep(request, asker, id) { answer(asker, .failure(Self.hasMoved), id) }
    }

    private func send(_ touch: KeptTouches.Touch, of connection: ConnectionID, to outpost: Outpost) {
        context.post(.touches([touch.position]), to: outpost.node)
        if let number = touch.end { send(.endTouch(connection, number: number), to: outpost) }
    }

    // MARK: From the home

    func receive(_ message: OutpostMessage, _ id: RoomID, from node: Int) {
        guard let outpost = outposts[id], outpost.node == node else { return strayed(message, id, from: node) }
        switch message {
        case .delta(let delta): spread(delta, outpost)
        case .entered(let entries): entered(entries, outpost)
        case .client(let connection, let message): pass(message, to: connection, outpost)
        case .isFull(let isFull): outpost.gate.set(isFull ? .full : .open)
        case .changed(let connection): outpost.answered(connection, ackID: nil)
        case .endStored(let connection, let number): outpost.touches.forgetEnd(number, of: connection)
        case .notHome: forsake(outpost)
        case .givenAway: succeed(outpost)
        }
    }

    private func spread(_ delta: RoomDelta, _ outpost: Outpost) {
        for subscriber in outpost.subscribers {
            guard case .shard(let index) = subscriber.sink else { continue }
            if send(.edge(.delta(outpost.id, delta)), to: index, insists: delta.isLast) { continue }
            // The shard's members enter the room again once it has time.
            send(.edge(.resync(outpost.id)), to: index, insists: true)
        }
        if delta.isLast {
            // Clients that are entering, and requests, still get their answers.
            outpost.close()
            forgetKept(outpost.id)
            endIfEmpty(outpost)
        }
    }

    /// A message of a home of which this node knows nothing any more. What waited for its answers was refused.
    private func strayed(_ message: OutpostMessage, _ id: RoomID, from node: Int) {
        switch message {
        case .entered(let entries): for item in entries.items { leave(item.connection, id, on: node) }
        case .endStored(let connection, let number): homeless[id]?.touches.forgetEnd(number, of: connection)
        case .delta, .client, .isFull, .changed, .notHome, .givenAway: break
        }
    }

    /// A client that the home has admitted has gone meanwhile.
    private func leave(_ connection: ConnectionID, _ id: RoomID, on node: Int) {
        context.post(.home(id, .leave(connection, .lost)), to: node)
    }

    private func entered(_ entries: NodeEntries, _ outpost: Outpost) {
        if let state = entries.state { outpost.stateByteCount = state.byteCount }
        for item in entries.items {
            let isExpected = outpost.takeEntering(item.connection) != nil || outpost.members.contains(item.connection)
            guard isExpected, let answer = entries.answer(item, gate: outpost.gate) else {
                leave(item.connection, outpost.id, on: outpost.node)
                continue
            }
            outpost.add(item.connection)
            tell(item.connection, .entered(item.purpose, outpost.id, home: loop.index, answer))
            catchUp(item.connection, outpost)
        }
        sightChanged(outpost)
    }

    /// Sends the home what it lacks of a member that has entered: the home before may have lost it.
    private func catchUp(_ connection: ConnectionID, _ outpost: Outpost) {
        if let touch = lastTouch(of: connection, outpost), !touch.isOver {
            send(touch, of: connection, to: outpost)
            outpost.touches.noteSent(of: connection)
        }
        for kept in takeChanges(of: connection, outpost.id) { ask(.change(kept.request, kept.asker), outpost) }
    }

    private func lastTouch(of connection: ConnectionID, _ outpost: Outpost) -> KeptTouches.Touch? {
        if let kept = homeless[outpost.id]?.touches.take(connection) { outpost.touches.add(kept, of: connection) }
        return outpost.touches[connection]
    }

    private func pass(_ message: ClientMessage, to connection: ConnectionID, _ outpost: Outpost) {
        switch message {
        case .changed(let call, _), .refused(_, let call, _):
            guard outpost.answered(connection, ackID: call.ackID) else { return }
        case .notEntered(_, _, let error):
            _ = outpost.takeEntering(connection)
            if !outpost.members.contains(connection), !error.isForNow { outpost.touches.remove(connection) }
            forgetKept(of: connection, outpost.id, refused: error)
            sightChanged(outpost)
        case .enterLater: _ = outpost.takeEntering(connection)
        case .lookUpAgain(let entry):
            let asked = outpost.takeEntering(connection)
            if outpost.homeMark != entry.mark {
                outpost.homeMark = entry.mark
                // Questions to the directory that are under way may be older than the change.
                hub.permissions.change(outpost.id)
            }
            if let asked { tell(connection, .lookUpAgain(asked)) }
            return
        case .evicted: outpost.evict(connection)
        case .entered, .left: break
        }
        tell(connection, message)
        endIfEmpty(outpost)
    }

    /// The home has answered a question of this node.
    func answered(_ question: UInt64, _ answer: Questions.Answer) {
        hub.questions.answer(question, answer)
        for outpost in Array(outposts.values) {
            outpost.answered(question)
            endIfEmpty(outpost)
        }
    }

    // MARK: Beginning and end

    /// Another node is home to a room that was to be read.
    func isElsewhere(_ id: RoomID, on node: Int, _ room: LoadingRoom) {
        for origin in room.takeErrands(ofOtherNodesThan: hub.node) { refuseHome(id, to: origin) }
        guard context.life(of: node) != nil else { return waitForHome(of: id, room) }
        let outpost = Outpost(id, at: node)
        outposts[id] = outpost
        for errand in room.waiting { forward(errand, to: outpost) }
        endIfEmpty(outpost)
    }

    /// The home's node is being connected, or its lease is about to end.
    private func waitForHome(of id: RoomID, _ room: LoadingRoom) {
        let since = room.waitingSince ?? loop.now
        room.waitingSince = since
        guard loop.now - since < Self.patienceMilliseconds else {
            return fail(room, Self.unreachable, id)
        }
        loading[id] = room
        room.timer.fire = { [unowned self] in self.read(id) }
        loop.arm(room.timer, in: Self.retryMilliseconds)
    }

    private func endIfEmpty(_ outpost: Outpost) {
        guard outpost.isEmpty, outposts[outpost.id] === outpost else { return }
        forget(outpost)
        // A member that the home has made wait comes back, and one that has left may enter the next home.
        if !outpost.touches.isEmpty { keep(outpost.touches, outpost.id) }
    }

    private func forget(_ outpost: Outpost) {
        guard outposts[outpost.id] === outpost else { return }
        outposts[outpost.id] = nil
        loop.cancel(outpost.sightTimer)
        refuseQuestions(of: outpost)
    }

    private func refuseQuestions(of outpost: Outpost) {
        for question in outpost.takeQuestions() {
            switch question {
            case .change(_, let asker), .changeFromOutside(_, _, let asker):
                answer(asker, .failure(Self.hasMoved), outpost.id)
            case .command(let command, let number): refuse(command, Self.unreachable, number)
            default: break
            }
        }
    }

    /// The room's home is lost. Its members look for the next one.
    func forsake(_ outpost: Outpost, giver: Int? = nil) {
        forget(outpost)
        keep(outpost.touches, giver: giver, outpost.id)
        lookForHome(of: outpost.id, outpost.subscribers, outpost.entering.all)
    }

    /// The home has given the room away. What it has not answered it has not done: the next home gets it.
    private func succeed(_ outpost: Outpost) {
        let questions = outpost.takeQuestions()
        forsake(outpost, giver: outpost.node)
        for question in questions { ask(again: question, of: outpost) }
        // No shard of this node looks for the next home.
        if outpost.isEmpty, loading[outpost.id] == nil { foundHome(of: outpost.id) }
    }

    private func ask(again question: HomeMessage, of outpost: Outpost) {
        switch question {
        case .change(_, let asker) where outpost.waits(for: asker):
            // Its member has left, and does not enter the next home.
            answer(asker, .failure(Self.hasMoved), outpost.id)
        case .command(.connectedPeople, let number):
            // Before they have entered the next home nobody knows.
            refuse(.connectedPeople, Self.unreachable, number)
        default: receive(question, outpost.id)
        }
    }

    /// This node is not home to a room any more. Members and waiting clients look for the next home.
    func moved(_ home: HomeRoom) {
        guard rooms[home.id] === home || settling[home.id] === home else { return }
        loop.cancel(home.timer)
        loop.cancel(home.graceTimer)
        loop.cancel(home.storeTimer)
        home.countNothing()
        counters.totals.homesLost += 1
        for waiter in home.journal?.backlog.takeWaiting() ?? [] { answer(waiter, Self.hasMoved, home.id) }
        if settling[home.id] === home {
            settling[home.id] = nil
            if loading[home.id] != nil { read(home.id) }
            if released[home.id] != nil { hasReleased(home.id, isStored: true) }
            return
        }
        rooms[home.id] = nil
        abandonRecording(home, .interrupted)
        for subscriber in home.subscribers {
            if case .node(let node) = subscriber.sink {
                context.post(.outpost(home.id, .notHome, from: hub.node), to: node)
            }
        }
        let entries = home.takeEntries()
        for entry in entries where entry.connection.node != hub.node {
            context.post(.outpost(home.id, .notHome, from: hub.node), to: entry.connection.node)
        }
        keep(home.keptTouches, home.id)
        lookForHome(of: home.id, home.subscribers, entries.filter { $0.connection.node == hub.node })
    }

    private func lookForHome(of id: RoomID, _ subscribers: [Subscriber], _ entries: [Entry]) {
        for subscriber in subscribers {
            guard case .shard(let index) = subscriber.sink else { continue }
            send(.edge(.resync(id)), to: index, insists: true)
        }
        for entry in entries { withRoom(id, entry.info, .enter(entry)) }
    }
}
