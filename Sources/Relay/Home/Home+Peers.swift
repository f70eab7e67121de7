import Rooms
import Store
import Transport

/// What befalls other nodes, and whether the rooms of this one are still its own.
extension Home {
    /// A claim that was under way when this node asked shows by then.
    private static let secondCheckMilliseconds = 4_000

    func receive(_ message: PeerMessage) {
        switch message {
        case .established: for id in Array(loading.keys) where loading[id]?.timer.isArmed == true { read(id) }
        case .lost(let node):
            for room in loading.values { _ = room.takeErrands(of: node) }
            for outpost in Array(outposts.values) where outpost.node == node { forsake(outpost) }
            // With the pipe the node has given up what it had asked: a later answer would be a second one.
            for home in Array(rooms.values) + settling.values {
                home.journal?.backlog.forgetWaiting { $0.node == node }
            }
            for home in Array(rooms.values) { lose(node, home) }
            waitNoMore(for: node)
        case .lapsed:
            checkHomes()
            // A node that had begun to claim a room before the lease was renewed may end after the first check.
            secondCheck.fire = { [unowned self] in self.checkHomes() }
            loop.arm(secondCheck, in: Self.secondCheckMilliseconds)
        }
    }

    private func checkHomes() {
        for home in Array(rooms.values) + settling.values { check(home) }
    }

    /// The answer to `check`. Without one it is asked again.
    func checked(_ id: RoomID, _ isHome: Bool?, _ fence: Int64) {
        guard let home = rooms[id] ?? settling[id], home.fence == fence else { return }
        switch isHome {
        case true?: break
        case false?: moved(home)
        case nil:
            secondCheck.fire = { [unowned self] in self.checkHomes() }
            if !secondCheck.isArmed { loop.arm(secondCheck, in: 1_000) }
        }
    }

    /// Asks whether this node is still home to a room.
    private func check(_ home: HomeRoom) {
        guard let cluster = hub.cluster, let fence = home.fence else { return }
        let (id, mailbox) = (home.id, mailbox)
        cluster.homes.isHome(id.text, fence: fence) { result in
            mailbox.insist(RelayMessage.home(id, .isHome(try? result.get(), fence: fence)))
        }
    }

    /// The connections of a node are lost for the room. If the node lives, its clients enter again.
    private func lose(_ node: Int, _ home: HomeRoom) {
        for connection in home.enteringConnections(ofNode: node) { _ = home.takeEntering(connection) }
        let connections = home.room.connections.filter { $0.node == node }
        guard !connections.isEmpty else { return }
        // The last connection of a user may go on with its touch: the one that is seen.
        let touching = connections.filter { home.room.position(of: $0) != nil }
        context.asOne {
            for connection in connections.subtracting(touching) { left(connection, home, .entersAgain) }
            for connection in touching { left(connection, home, .entersAgain) }
        }
    }
}
