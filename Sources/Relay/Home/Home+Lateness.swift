import Rooms
import Transport

/// Nodes that are late: so much waits for them, or for so long, that they get logs, requests and answers alone.
///
/// A position replaces an older one, so none has to wait: when a node is not late any more, it gets the newest positions of those
/// who have moved meanwhile. A home owes them to nodes with members, an outpost to its home.
extension Home {
    private static let owedMilliseconds = 50

    /// A room has positions for a node that is late.
    func owe(_ id: RoomID) {
        owed.insert(id)
        guard !owedTimer.isArmed else { return }
        owedTimer.fire = { [unowned self] in self.payAll() }
        loop.arm(owedTimer, in: Self.owedMilliseconds)
    }

    private func payAll() {
        for id in owed where !pay(id) { owed.remove(id) }
        if !owed.isEmpty { loop.arm(owedTimer, in: Self.owedMilliseconds) }
    }

    /// - Returns: whether the room still has positions for a node that is late.
    private func pay(_ id: RoomID) -> Bool {
        if let outpost = outposts[id] {
            if !context.isLate(outpost.node) { pay(outpost) }
            return outpost.owesPositions
        }
        guard let home = rooms[id] else { return false }
        let nodes = home.owedNodes
        if nodes.contains(where: { !context.isLate($0) }) {
            // The next delta has them.
            home.room.tickAnyway()
            changed(home)
        }
        return !nodes.isEmpty
    }

    /// Sends the positions that the home lacks; only that of one connection if there is one, which is about to say more.
    func pay(_ outpost: Outpost, of connection: ConnectionID? = nil) {
        guard outpost.owesPositions else { return }
        let parcels = outpost.takeOwed(of: connection)
        if !parcels.isEmpty { context.post(.touches(parcels), to: outpost.node) }
    }
}
