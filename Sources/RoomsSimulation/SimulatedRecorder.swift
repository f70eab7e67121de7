import Relay
import Rooms
import Store

/// Holds each delta that a home makes against the truth.
final class SimulatedRecorder: DeltaRecorder, @unchecked Sendable {
    private unowned let world: Simulation

    init(_ world: Simulation) { self.world = world }

    func record(_ delta: RoomDelta, of roomID: String, incarnation: UInt64, seq newest: UInt64) {
        world.flights?.note(delta, incarnation)
        guard let room = Int(roomID.dropFirst()), let truth = world.truths[room] else {
            return world.fail("a delta of no room")
        }
        let isNew = world.isCluster ? !truth.hasTold(incarnation) : truth.incarnation != incarnation
        if isNew { begin(room, truth, delta, incarnation, after: newest - UInt64(delta.entries.count)) }
        let generation = truth.generation(of: incarnation) ?? truth.generation
        world.note("\(roomID): tick \(delta.tick) with \(delta.entries.count) entries, \(delta.touches.count) touches")
        let seq = truth.entries(of: generation).count
        if let problem = truth.record(delta, in: generation, losses: world.lossCount) {
            return world.fail("\(roomID): \(problem)")
        }
        let entries = truth.entries(of: generation)
        for entry in entries[min(seq, entries.count)...] {
            if case .left(let person) = entry.effect, !isNew { checkDeparture(person, room) }
            if case .closed = entry.effect { world.reach(.closed) }
        }
    }

    /// A room has a new home, or the same one has taken it up again. Nothing may be lost that was answered.
    private func begin(
        _ room: Int, _ truth: RoomTruth, _ delta: RoomDelta, _ incarnation: UInt64, after seq: UInt64
    ) {
        if world.isCluster { return begin(room, truth, incarnation, after: Int(seq)) }
        guard let first = delta.entries.first else { return world.fail("r\(room) begins without an entry") }
        guard first.seq <= truth.lastSeq + 1 else { return world.fail("r\(room) begins after a gap") }
        let elements = truth.state.elements
        let lost = truth.begin(incarnation, after: first.seq - 1)
        if world.database != nil { carryOn(room, truth, after: first.seq - 1) }
        world.note("r\(room) begins again after \(first.seq - 1)")
        if world.database == nil {
            guard !lost.isEmpty else { return }
            // Without a store a room is kept while there is something on its canvas, and until the server ends.
            if !world.hasRestarted, !elements.isEmpty { world.fail("r\(room) has lost its elements") }
            world.creations[room] = nil
            world.words[room] = nil
            return
        }
        world.reach(.lostUnstored, if: !lost.isEmpty)
        for entry in lost {
            let change: String
            switch entry.effect {
            case .stored(let id, let element): change = "\(id)@\(element.version)"
            case .deleted(let id, let version): change = "\(id)@\(version)"
            default: continue
            }
            if world.acked[room]?.contains(change) == true {
                world.fail("r\(room): \(change) was answered and is lost")
            }
        }
    }

    /// The room has another home in a cluster. It continues after what was stored when it claimed the room. The home after it
    /// may have stored more since.
    private func begin(_ room: Int, _ truth: RoomTruth, _ incarnation: UInt64, after seq: Int) {
        let stored = world.database?.log(of: "r\(room)") ?? []
        world.note("r\(room) has a new home after \(seq) of \(stored.count)")
        guard seq <= stored.count else { return world.fail("r\(room) begins after a gap") }
        let newest = truth.generation
        guard truth.begin(incarnation, afterStored: stored.prefix(seq).map { ($0.seq, $0.incarnation) }) != nil else {
            return world.fail("r\(room): an entry is stored that nobody was told")
        }
        if seq == stored.count { world.checkAcked(room, truth) } else { truth.settle(on: newest) }
    }

    /// What clients have seen of the log that is stored, they need not be told again.
    private func carryOn(_ room: Int, _ truth: RoomTruth, after seq: UInt64) {
        for client in world.clients where client.views[room].map({ $0.seq <= seq }) == true {
            client.views[room]?.generation = truth.generation
        }
    }

    /// Checks a user who leaves: the user must have asked for it, or was removed, or was lost for long enough.
    private func checkDeparture(_ person: Int, _ room: Int) {
        let grace = world.graceMilliseconds
        let isOver = world.losses[person, default: []].contains { $0 + grace <= world.now.monotonic }
        world.reach(.graceEnded, if: isOver && grace > 0)
        // A client that needs a newer state leaves and enters again, which the grace may not cover. It has not been told yet
        // that it is in the room.
        let isJoining = world.clients.contains { $0.person == person && $0.views[room]?.phase == .joining }
        let isExcused = isOver || grace < 1_000 || isJoining || world.isDisturbed
        guard isExcused || world.departures.contains("\(person)/\(room)") else {
            return world.fail(
                "r\(room): p\(person) was given up before the grace of \(grace) ms was over, lost at "
                    + "\(world.losses[person] ?? []), now \(world.now.monotonic)")
        }
    }
}
