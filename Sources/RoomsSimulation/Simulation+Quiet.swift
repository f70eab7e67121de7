import Relay
import Rooms
import Sessions

/// Quiet moments, at which no message is on its way: then all parts have to agree.
extension Simulation {
    /// Lets everything arrive and be read, then compares what all see.
    func becomeQuiet(isEnd: Bool) {
        note("quiet")
        heal()
        for (place, messages) in heldBack {
            for message in messages { nodes[place.node].server.mailboxes[place.shard].put(message) }
        }
        heldBack = [:]
        settle()
        if isEnd {
            now.monotonic += graceMilliseconds + 1
            settle()
        }
        guard problem == nil else { return }
        compare(isEnd: isEnd)
        compareTexts()
        departures = []
    }

    private func settle() {
        var rounds = 0
        var idle = 0
        // The nodes of a cluster find out later that they were taken for dead.
        let end = now.monotonic + (isCluster ? 10_000 : 0)
        while idle < 3 || isBusy || now.monotonic < end, problem == nil {
            rounds += 1
            guard rounds < 2_000 else { return fail("it does not become quiet: \(waiting().joined(separator: ", "))") }
            idle = settleOnce() ? 0 : idle + 1
            // Ticks, parcels and appends that failed are due by then.
            now.monotonic += rounds % 10 == 0 ? 1_001 : 51
        }
    }

    private var isBusy: Bool {
        directory.isWaiting || isClusterBusy
            || nodes.contains { node in
                node.store?.isWorking == true || node.server.mailboxes.contains { !$0.items.isEmpty }
                    || node.server.relays.contains(where: \.hasLaterEntries)
            }
    }

    /// Answers whether something has happened.
    private func settleOnce() -> Bool {
        var isBusy = false
        while directory.isWaiting {
            directory.answerNext()
            isBusy = true
        }
        for node in nodes where node.isRunning {
            while node.store?.isWorking == true {
                node.store?.doNext()
                isBusy = true
            }
            for shard in node.server.loops.indices {
                let connections = node.server.connections[shard]
                let hasSent = connections.contains { !$0.sent.isEmpty || $0.wantsWritable || $0.isGone }
                if hasSent || !node.server.mailboxes[shard].items.isEmpty { isBusy = true }
                turn(node, shard, takesAll: true)
            }
        }
        if isCluster { settleNodes() }
        if sendEdits() { isBusy = true }
        for client in clients {
            guard let connection = client.connection, !connection.pipe.isEmpty || !connection.isOpen else { continue }
            read(client, max: 1 << 20)
            isBusy = true
        }
        return isBusy
    }

    /// Requests without an answer although no message is on its way.
    private func waiting() -> [String] {
        var waiting: [String] = []
        for relay in nodes.flatMap(\.server.relays) {
            waiting += relay.audit.waiting.filter { $0.count > 0 }.map { "\($0.count) \($0.what)" }
        }
        if openQuestions > 0 { waiting.append("\(openQuestions) questions of the operator") }
        for client in clients where client.connection != nil && !client.questions.isEmpty {
            let questions = client.questions.sorted { $0.key < $1.key }.map { "\($0.value)" }
            waiting.append("\(questions.joined(separator: " and ")) of client \(client.number)")
        }
        return waiting
    }

    private func compare(isEnd: Bool) {
        let waiting = waiting()
        if !waiting.isEmpty { return fail("never answered: \(waiting.joined(separator: ", "))") }
        let audits = nodes.flatMap(\.server.relays).map(\.audit)
        let homes = audits.flatMap(\.homes).sorted { $0.room < $1.room }
        let memberships = audits.flatMap(\.memberships)
        guard Set(homes.map(\.room)).count == homes.count else { return fail("a room has two homes") }
        for home in homes { compare(home, memberships.filter { $0.room == home.room }, isEnd: isEnd) }
        let connected = nodes.flatMap { $0.server.connections.flatMap { $0 } }.filter(\.isConnected)
        let claimable = connected.count { $0.identity.pid != nil }
        guard audits.reduce(0, { $0 + $1.clients }) == connected.count,
            isCluster || audits.reduce(0, { $0 + $1.claimable }) == claimable
        else { return fail("the relay knows other connections than the \(connected.count) that there are") }
        forgetLosses(homes, memberships)
        let names = Set(homes.map(\.room))
        for membership in memberships where !names.contains(membership.room) {
            return fail("a member of \(membership.room), which is not in use")
        }
        for client in clients {
            guard client.isConnected, let sid = client.sid else { continue }
            let rooms = Set(memberships.filter { $0.sid.description == sid }.map(\.room))
            for room in truths.keys.sorted() { compare(client, room, isMember: rooms.contains("r\(room)")) }
        }
    }

    private func compare(_ home: RelayAudit.Home, _ members: [RelayAudit.Membership], isEnd: Bool) {
        guard let room = Int(home.room.dropFirst()), let truth = truths[room] else { return }
        if isCluster { settle(truth, of: home) }
        guard truth.lastSeq == home.seq else {
            return fail("\(home.room): a gap")
        }
        checkConditions(room, truth)
        let listed = Set(truth.state.participants.keys.map { "p\($0)" })
        guard listed == home.people else {
            return fail("\(home.room) shows \(listed.sorted()), there are \(home.people.sorted())")
        }
        guard home.connections == Set(members.map(\.connection)) else {
            return fail(
                "\(home.room) has \(home.connections.count) connections, the edges have those of \(members.map(\.person))"
            )
        }
        let banned = home.people.filter { directory.isBanned($0, from: home.room) }
        if let person = banned.sorted().first(where: { directory.isToldOf($0, in: home.room) }) {
            return fail("\(person) is in \(home.room) and must not be")
        }
        let away = home.people.subtracting(members.map(\.person))
        if isEnd, let person = away.first(where: { !isInGrace($0) }) { return fail("\(person) stays in \(home.room)") }
        if !home.isStored { fail("\(home.room) is not stored") }
    }

    /// A user with a connection in each of their rooms has no running grace.
    private func forgetLosses(_ homes: [RelayAudit.Home], _ memberships: [RelayAudit.Membership]) {
        let away = homes.reduce(into: Set<String>()) { away, home in
            away.formUnion(home.people.subtracting(memberships.filter { $0.room == home.room }.map(\.person)))
        }
        for person in losses.keys where !away.contains("p\(person)") { losses[person] = [] }
    }

    /// Whether a connection of the user was lost so recently that the user may still be in the grace. Another node may hear of that
    /// later.
    private func isInGrace(_ person: String) -> Bool {
        let delay: Int64 = isCluster ? 10_000 : 1_100
        let losses = losses[Int(person.dropFirst()) ?? -1, default: []]
        return losses.contains { $0 + graceMilliseconds + delay > now.monotonic }
    }

    private func compare(_ client: ModelClient, _ room: Int, isMember: Bool) {
        client.views[room]?.takePosition()
        // What was taken for the last position of a touch has come because there is no view any more.
        if let view = client.views[room], view.area == nil, view.awaitsEndOf != client.person {
            client.views[room]?.awaitsEndOf = nil
        }
        guard let view = client.views[room], let truth = truths[room] else {
            if isMember { fail("client \(client.number) is in r\(room) and never asked for it") }
            return
        }
        let who = "client \(client.number) in r\(room)"
        switch view.phase {
        case .unknown: return
        case .joining, .leaving: return fail("\(who) is still on its way")
        // That a client was put out can be forgotten with a restart.
        case .outside where isMember && (view.hasLeft || !hasRestarted):
            return fail("\(who) is there and does not know it")
        case .outside: return
        case .inside: break
        }
        guard isMember else { return fail("\(who) is not there") }
        if view.forbiddenIn == view.turn { return fail("\(who) was told FORBIDDEN and is there") }
        if let database, let pid = client.pid, !database.hasSeat(pid, in: "r\(room)") {
            return fail("\(who) has no seat")
        }
        guard view.state == truth.state else { return fail("\(who) sees another state") }
        let unseen = truth.entries[Int(view.seq)...]
        // Without offsets nobody knows which of two homes has told it an entry that both have.
        let isOfOther = isCluster && !client.getsOffsets && view.generation != truth.generation
        guard isOfOther || unseen.allSatisfy({ $0.except == client.person }) else {
            return fail("\(who) lacks entries")
        }
        if isOfOther {
            client.views[room]?.generation = truth.generation
            client.views[room]?.seq = truth.lastSeq
        }
        var touches = truth.touches
        touches[client.person] = nil
        if view.awaitsAll { return fail("\(who) was not told all of its view") }
        if view.area != nil { touches = touches.filter { view.sees($0.value) } }
        // The touch of a device that was lost with a home stays while its user is there with another one.
        if isCluster, isDisturbed {
            let unknown = view.touches.filter { touches[$0.key] == nil && hasDevices($0.key) }
            touches.merge(unknown) { $1 }
        }
        guard view.touches == touches else {
            return fail("\(who) sees touches \(Self.listed(view.touches)) instead of \(Self.listed(touches))")
        }
        compareTouch(of: client, room, truth)
        checkPositions(of: client, room)
    }

    private func hasDevices(_ person: Int) -> Bool { clients.count { $0.person == person } > 1 }

    /// A position that was accepted is the room's, until the client moves on, ends its touch or is lost.
    private func compareTouch(of client: ModelClient, _ room: Int, _ truth: RoomTruth) {
        guard let number = client.accepted[room] else { return }
        let devices = clients.filter { $0.person == client.person && $0 !== client && $0.views[room] != nil }
        guard devices.isEmpty else { return }
        if let position = truth.touches[client.person], mayBeLate(position, after: number) { return }
        guard let position = truth.touches[client.person], position.number >= number else {
            return fail("client \(client.number) has moved to \(number) in r\(room), which was accepted and is lost")
        }
    }

    /// In an order that is the same in each run.
    private static func listed(_ touches: [Int: ModelClient.Position]) -> String {
        touches.sorted { $0.key < $1.key }.map { "p\($0.key) at \($0.value.number)" }.joined(separator: ", ")
    }
}
