import Rooms

/// Members enter their room again, because this shard lacks a delta of it, or because the room has another home.
///
/// Their connections stay. Each continues after the newest entry that it was sent, and gets the whole state only if the
/// home's log does not reach back so far. Events that a client sends meanwhile wait for the answer.
extension Edge {
    func resync(_ id: RoomID) {
        guard let room = locals.removeValue(forKey: id) else { return }
        counters.totals.resyncs += 1
        for client in room.members {
            guard let index = client.memberships.firstIndex(where: { $0.room === room }) else { continue }
            let membership = client.memberships.remove(at: index)
            guard !room.isHeld(client) else {
                // Its turn to be told the state comes. It gets the state of then.
                outdated.insert(membership.number)
                continue
            }
            let before = ReturningRoom(
                id: id, incarnation: room.incarnation, membership: membership.number, since: room.seq(of: client))
            if client.joining.contains(id) {
                // It has asked for the state once more. Two answers would be one too many: the later one would bring back a
                // client that has left meanwhile.
                client.resuming[id] = before
            } else {
                goOn(client, before, isPaid: true)
            }
        }
    }
}
