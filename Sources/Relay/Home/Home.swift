import Rooms
import Sessions
import Store
import Transport

/// The home of rooms on one shard: it orders their events, sends their logs to the store, and makes their ticks.
package final class Home: RelayPart {
    let context: RelayContext
    let loop: any RelayLoop
    var rooms: [RoomID: HomeRoom] = [:]
    /// Closed rooms with entries that are not stored yet.
    var settling: [RoomID: HomeRoom] = [:]
    /// Rooms whose home is another node.
    var outposts: [RoomID: Outpost] = [:]
    /// Rooms that are being read, or that will be once their old entries are stored.
    var loading: [RoomID: LoadingRoom] = [:]
    /// Rooms with members on this node that have lost their home a moment ago.
    var homeless: [RoomID: HomelessRoom] = [:]
    /// The number of the newest end of a touch that went to another node.
    var lastEnd: UInt64 = 0
    var keptChanges = (count: 0, byteCount: 0)
    let homelessTimer = LoopTimer()
    /// What the store has confirmed lately and may lose. Only in a cluster.
    var storedLately = StoredLately()
    /// Rooms of which late nodes get positions later: see `Home+Lateness`.
    var owed: Set<RoomID> = []
    let owedTimer = LoopTimer()
    /// Whether this node ends, and gives its rooms to others; and whether it has given all.
    var isHandingOver = false
    var hasHandedOver = false
    /// Rooms that are being given away.
    var released: [RoomID: ReleasedRoom] = [:]
    /// Asks again whether this node is still home to its rooms.
    let secondCheck = LoopTimer()
    /// Who waits for the ends of recordings whose rooms have left this home.
    var stoppersOfRecordings: [String: [UInt64]] = [:]
    private var dirty: [HomeRoom] = []
    private var pace: TickPace

    init(_ context: RelayContext) {
        self.context = context
        loop = context.loop
        pace = TickPace(context.configuration.tickMilliseconds)
        adaptPace(to: 0)
    }

    // MARK: Messages

    func receive(_ message: HomeMessage, _ id: RoomID) {
        if let outpost = outposts[id] {
            if let origin = message.origin, origin != hub.node { return refuseHome(id, to: origin) }
            return forward(message, to: outpost)
        }
        switch message {
        case .enter(let entry): withRoom(id, entry.info, .enter(entry))
        case .leave(let connection, let leaving):
            guard let home = rooms[id] else { return forgetEntry(of: connection, id, leaving) }
            left(connection, home, leaving)
        case .notPermitted(let connection): forgetKept(of: connection, id)
        case .endTouch(let connection, let number):
            rooms[id]?.endTouch(of: connection, number: number)
            homeless[id]?.touches.end(connection, number)
        case .caret(let connection, let caret):
            // Who is not in the room has no caret there.
            guard let home = rooms[id], (try? home.room.setCaret(caret, of: connection)) != nil else { return }
            changed(home)
        // The members of this node are told by its replicas.
        case .view: break
        case .sight(let node, let squares):
            guard let home = rooms[id], home.see(squares, from: node) else { return }
            changed(home)
        case .change(let request, let asker):
            guard let home = rooms[id] else { return changeNowhere(id, request, asker) }
            // Its member is about to enter the room's new home.
            if home.waits(for: asker), keep(request, asker, id) { return }
            change(home, request, asker)
        case .changeFromOutside(let order, let info, let asker): change(id, info, order, asker)
        case .command(let command, let question):
            if let room = loading[id], command.waitsForRoom || hub.cluster != nil {
                room.add(.command(command, question: question), [])
            } else if hub.cluster != nil, rooms[id] == nil {
                // It may be in use on another node.
                withRoom(id, [], .command(command, question: question))
            } else {
                perform(command, rooms[id], id, question)
            }
        case .permissionsChanged: hub.permissions.change(id)
        case .gaveUp(let sink): gaveUp(sink, id)
        case .loaded(let contents): loaded(id, contents)
        case .isHome(let isHome, let fence): checked(id, isHome, fence)
        case .appended(let incarnation, let result, let took): appended(id, incarnation, result, took)
        case .lossCounted(let isCounted): lossCounted(id, isCounted)
        case .released(let isStored): hasReleased(id, isStored: isStored)
        case .foundNext: hasNextHome(id)
        case .recording(let news): received(news, id)
        }
    }

    func receive(_ message: HomesMessage) {
        switch message {
        case .storeIsGood: storeAll()
        case .databaseWasStarted: proveAll()
        case .handOver: handOver()
        case .mediaNotStored(let question): answer(question, .media(mediaNotStored()))
        }
    }

    /// A room takes touches that members' shards have accepted, even when it accepts no new ones.
    func receive(_ parcels: [TouchParcel]) {
        var elsewhere: [(Outpost, TouchParcel)] = []
        for parcel in parcels {
            guard let home = rooms[parcel.roomID] else {
                // What members of another node move, that node tells the next home. From here it would come after newer positions.
                guard parcel.isOf(node: hub.node) else { continue }
                if let outpost = outposts[parcel.roomID] {
                    elsewhere.append((outpost, parcel))
                } else {
                    // Its members moved just before they were told to look for the room's next home.
                    homeless[parcel.roomID]?.touches.note(parcel)
                }
                continue
            }
            if !homeless.isEmpty, parcel.isOf(node: hub.node) {
                homeless[parcel.roomID]?.touches.note(parcel) { !home.room.contains($0) }
            }
            parcel.deliver(to: &home.room)
            home.activity.touches &+= parcel.count
            changed(home)
        }
        if !elsewhere.isEmpty { forward(elsewhere) }
    }

    // MARK: Ticks

    /// A room has changed. Its members are told at once if it was quiet, otherwise with its next tick.
    func changed(_ home: HomeRoom) {
        guard !home.isQueued else { return loop.noteWaiting() }
        home.isQueued = true
        let wait = home.lastTickAt + tickInterval(of: home) - loop.now
        if wait <= 0 {
            dirty.append(home)
        } else {
            loop.arm(home.timer, in: Int(wait))
            loop.noteWaiting()
        }
    }

    /// Members whose room has another home wait for the answer: it comes at the end of this turn.
    func tickAtTurnEnd(_ home: HomeRoom) {
        guard !home.isQueued || home.timer.isArmed else { return }
        loop.cancel(home.timer)
        home.isQueued = true
        dirty.append(home)
    }

    /// A room's next tick is due.
    func tickIsDue(_ home: HomeRoom) {
        dirty.append(home)
    }

    func adaptPace(to load: Double) {
        pace.adapt(to: load)
        hub.tickIntervals[loop.index].set(Int(pace.milliseconds.rounded()))
    }

    /// A tick costs work on the shards of the members. The slowest of them sets the room's pace.
    func tickInterval(of home: HomeRoom) -> Int64 {
        var interval = hub.tickIntervals[loop.index].value
        for subscriber in home.subscribers {
            switch subscriber.sink {
            case .shard(let index): interval = max(interval, hub.tickIntervals[index].value)
            case .node: break
            }
        }
        return Int64(interval)
    }

    /// At the end of a turn.
    func tickDirtyRooms() {
        guard !dirty.isEmpty else { return }
        let due = dirty
        dirty = []
        // A room that was closed in this turn has sent everything already.
        for home in due { context.asOne { if rooms[home.id] === home { tick(home) } } }
    }

    func tick(_ home: HomeRoom) {
        // The room stays queued meanwhile, so a refused client cannot end it before all of it is stored.
        while !home.isTelling, let entry = home.takeEntering() { enter(entry, home) }
        home.isQueued = false
        guard rooms[home.id] === home else { return }
        checkRecording(home)
        home.lastTickAt = loop.now
        // Everything for this tick is taken at once. Events that its delivery causes belong to the next tick.
        let delta = takeDelta(home)
        let answers = home.takeEntryAnswers { $0 != hub.node && context.isLate($0) }
        if let delta { publish(delta, of: home, to: home.subscribers) }
        store(home)
        home.countTick(delta, at: loop.now)
        for (entry, answer) in answers where entry.connection.node == hub.node {
            tell(entry.connection, .entered(entry.purpose, entry.room, home: loop.index, answer))
        }
        if hub.cluster != nil { answerNodes(answers, of: home) }
        if home.enteringCount > 0 || !home.pending.isEmpty { changed(home) }
        retireIfEmpty(home)
    }

    // MARK: Deltas

    func takeDelta(_ home: HomeRoom) -> RoomDelta? {
        guard let delta = home.room.takeDelta(interval: Int(tickInterval(of: home))) else { return nil }
        hub.recorder?.record(
            delta, of: home.id.text, incarnation: home.room.incarnation, seq: home.room.lastSeq)
        if home.recording != nil { record(delta, of: home) }
        return delta
    }

    func publish(_ delta: RoomDelta, of home: HomeRoom, to subscribers: [Subscriber]) {
        let own = DeltaSink.shard(loop.index)
        for subscriber in subscribers where subscriber.sink != own { publish(delta, of: home, to: subscriber.sink) }
        if subscribers.contains(where: { $0.sink == own }) { send(.edge(.delta(home.id, delta)), to: loop.index) }
    }

    private func publish(_ delta: RoomDelta, of home: HomeRoom, to subscriber: DeltaSink) {
        switch subscriber {
        case .shard(let index):
            if delta.isLast {
                send(.edge(.delta(home.id, delta)), to: index, insists: true)
            } else if home.behind[subscriber] != nil {
                home.behind[subscriber] = .givesUpAndLacksMore
            } else if !send(.edge(.delta(home.id, delta)), to: index) {
                haveGivenUp(home, by: subscriber)
            }
        case .node(let node):
            let isLate = context.isLate(node)
            if isLate { owe(home.id) }
            let told = home.delta(delta, for: node, isLate: isLate)
            context.post(.outpost(home.id, .delta(told), from: hub.node), to: node)
        }
    }

    /// Answers the clients of other nodes, the state once for each node. The room counts it as being sent until the node
    /// has it.
    private func answerNodes(_ answers: [(Entry, EntryAnswer)], of home: HomeRoom) {
        let elsewhere = answers.filter { $0.0.connection.node != hub.node }
        for (node, answers) in Dictionary(grouping: elsewhere, by: { $0.0.connection.node }) {
            for entries in NodeEntries.portions(answers) {
                context.post(.outpost(home.id, .entered(entries), from: hub.node), to: node, holding: entries.state)
            }
        }
    }

    /// Sends a client of any node a message about a room.
    func tell(_ connection: ConnectionID, _ message: ClientMessage, _ room: RoomID) {
        if connection.node == hub.node {
            tell(connection, message)
        } else {
            context.post(.outpost(room, .client(connection, message), from: hub.node), to: connection.node)
        }
    }

    /// Answers a question of any node.
    func answer(_ question: UInt64, _ answer: Questions.Answer) {
        let node = Questions.node(of: question)
        if node == hub.node {
            hub.questions.answer(question, answer)
        } else {
            context.post(.answer(question, answer), to: node)
        }
    }

    /// A subscriber's mailbox is full, so it lacks a delta. Its members come back and get the whole state.
    private func haveGivenUp(_ home: HomeRoom, by subscriber: DeltaSink) {
        home.behind[subscriber] = .givesUp
        switch subscriber {
        case .shard(let index): send(.edge(.giveUp(home.id, home: loop.index)), to: index, insists: true)
        case .node: break
        }
    }

    private func gaveUp(_ subscriber: DeltaSink, _ id: RoomID) {
        guard let home = rooms[id] else { return }
        // Clients that have joined there since may lack the deltas in between.
        guard home.behind.removeValue(forKey: subscriber) == .givesUpAndLacksMore else { return }
        haveGivenUp(home, by: subscriber)
    }

    // MARK: The end of a room's use

    /// The room is empty. The next client gets its stored contents, once all of it is stored.
    func retire(_ home: HomeRoom) {
        loop.cancel(home.timer)
        loop.cancel(home.graceTimer)
        rooms[home.id] = nil
        home.gate.set(.closed)
        abandonRecording(home, isHandingOver ? .interrupted : .empty)
        // The changes that no member was there to get.
        if hub.recorder != nil { _ = takeDelta(home) }
        if home.isStored { forget(home) } else { settling[home.id] = home }
    }

    func forget(_ home: HomeRoom) {
        loop.cancel(home.storeTimer)
        home.countNothing()
        if let fence = home.fence { release(home.id, fence: fence, afterLoss: home.isLost) }
        hub.keeper.store(home.room.contents, of: home.id.text)
    }

    func retireIfEmpty(_ home: HomeRoom) {
        // The next tick still has to send something to the store.
        if home.isOpening || (home.journal != nil && home.isQueued) { return }
        if home.isEmpty, home.isStored, rooms[home.id] === home { retire(home) }
    }

    /// Makes the room check for participants whose grace is over, when the next one ends.
    func armGrace(_ home: HomeRoom) {
        guard let ends = home.room.nextGraceEnds else { return loop.cancel(home.graceTimer) }
        home.graceTimer.fire = { [unowned self, unowned home] in
            home.room.expireGraces(at: self.now)
            self.changed(home)
            self.armGrace(home)
        }
        loop.arm(home.graceTimer, in: Int(max(ends - loop.now, 1)))
    }
}
