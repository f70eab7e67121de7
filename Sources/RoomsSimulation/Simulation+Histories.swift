import Relay
import Store

/// What the homes of a cluster have told, held against what is stored.
extension Simulation {
    /// The history of the home that a room has at a quiet moment counts.
    func settle(_ truth: RoomTruth, of home: RelayAudit.Home) {
        guard let room = Int(home.room.dropFirst()) else { return }
        let stored = (database?.log(of: home.room) ?? []).map { (seq: $0.seq, incarnation: $0.incarnation) }
        let known = truth.generation(of: home.incarnation)
        guard let generation = known ?? truth.begin(home.incarnation, afterStored: stored) else {
            return fail("\(home.room): an entry is stored that nobody was told")
        }
        truth.settle(on: generation)
        let told = truth.entries.map(\.origin)
        if told != stored.map(\.incarnation) { return fail("\(home.room) is not what is stored") }
        checkAcked(room, truth)
    }

    /// Whether an entry may be the end of a touch that goes on. Of several devices of a user a home keeps the touch of none that it
    /// cannot hear of.
    func mayBeGivenUp(_ entry: RoomTruth.Entry) -> Bool {
        guard case .ended(let mover) = entry.effect else { return false }
        return entry.isGivenUp || isDisturbed && clients.count { $0.person == mover } > 1
    }

    /// A client is told the log by a home that has not told anything of its own yet.
    func meet(_ incarnation: UInt64, of room: Int, _ truth: RoomTruth) {
        let stored = database?.log(of: "r\(room)") ?? []
        let newest = truth.generation
        _ = truth.begin(incarnation, afterStored: stored.map { ($0.seq, $0.incarnation) }, isMet: true)
        truth.settle(on: newest)
    }

    /// The members of a room, and the turns of their views.
    func watchers(of room: Int) -> [Int: Int] {
        var watchers: [Int: Int] = [:]
        for client in clients {
            if let view = client.views[room], view.phase == .inside { watchers[client.key] = view.turn }
        }
        return watchers
    }

    /// A position was accepted. All others who were in the room when it was sent, and have stayed, get it or a newer one,
    /// unless the user has other devices there, whose positions replace it.
    func owe(_ client: ModelClient, _ room: Int, _ number: Int, _ watchers: [Int: Int]) {
        let isAlone = !clients.contains { $0.person == client.person && $0 !== client && $0.views[room] != nil }
        guard isCluster, isAlone else { return }
        for other in clients where other.person != client.person && other.views[room]?.phase == .inside {
            // What is outside of a view is not told.
            if other.views[room]?.area != nil { continue }
            guard watchers[other.key] == other.views[room]?.turn else { continue }
            // To who has seen the user leave, or came after that, the room owes nothing.
            guard other.views[room]?.state.participants[client.person] != nil else { continue }
            other.views[room]?.owed[client.key] = number
        }
    }

    /// Whether a position is of a device of this user.
    func isOf(_ mover: Int, _ position: ModelClient.Position) -> Bool {
        clients.contains { $0.number == position.device && $0.person == mover }
    }

    /// What a device has sent over one connection can come later than what it sends over the next one, at another node.
    func mayBeLate(_ position: ModelClient.Position, after newer: Int) -> Bool {
        isCluster
            && clients.contains { $0.number == position.device && $0.hasConnected(after: position.number, upTo: newer) }
    }

    /// A touch goes on whose end a home has told that could not hear of it, or that is another connection's.
    func mayGoOn(_ position: ModelClient.Position, after end: Int, _ mover: Int) -> Bool {
        mayBeLate(position, after: end) || isCluster && isDisturbed && clients.count { $0.person == mover } > 1
    }

    /// What a node has accepted and not told the home of the room ends with the node, or with the connection.
    func forgive(_ client: ModelClient) {
        for other in clients { for room in other.views.keys { other.views[room]?.owed[client.key] = nil } }
    }

    /// The last position of each touch has arrived.
    func checkPositions(of client: ModelClient, _ room: Int) {
        guard let view = client.views[room] else { return }
        for (key, number) in view.owed.sorted(by: { $0.key < $1.key }) where view.newest[key] ?? 0 < number {
            // What was on its way through a pipe that was lost is kept for the next home only for who wants to stay.
            let isInside = clients.contains { $0.key == key && $0.views[room]?.phase == .inside }
            if isDisturbed, !isInside { continue }
            // Another device of the user has come, whose positions replace it.
            let devices = clients.filter { $0.person == key / 1_000 && $0.views[room] != nil }
            if devices.contains(where: { $0.key != key }) { continue }
            let seen = view.newest[key] ?? 0
            fail("client \(client.number) has seen p\(key / 1_000) in r\(room) at \(seen), not at \(number)")
        }
    }

    /// A change that named a version has changed what its client knew under it.
    func checkConditions(_ room: Int, _ truth: RoomTruth) {
        let conditions = conditions.removeValue(forKey: room) ?? []
        let known = Dictionary(conditions.map { ($0.change, $0.known) }) { $1 }
        guard !known.isEmpty else { return }
        var before = RoomTruth.State()
        for entry in truth.entries {
            if case .stored(let id, let element) = entry.effect, let known = known["\(id)@\(element.version)"],
                before.elements[id]?.json != known
            {
                return fail("r\(room): \(id)@\(element.version) has changed another element than its client knew")
            }
            before = entry.state
        }
    }

    /// Each change that was answered exists once.
    func checkAcked(_ room: Int, _ truth: RoomTruth) {
        var changes: [String: Int] = [:]
        for entry in truth.entries {
            switch entry.effect {
            case .stored(let id, let element): changes["\(id)@\(element.version)", default: 0] += 1
            case .deleted(let id, let version): changes["\(id)@\(version)", default: 0] += 1
            default: break
            }
        }
        for change in (acked[room] ?? []).sorted() where changes[change] != 1 {
            fail("r\(room): \(change) was answered and exists \(changes[change] ?? 0) times")
        }
    }
}
