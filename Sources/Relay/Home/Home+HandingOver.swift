import Rooms
import Transport

/// A node that ends in good order gives its rooms away, so that no other node has to wait for the end of its lease.
///
/// The sessions of the node have ended by then. A room is told its last tick, stored and released; then the nodes with
/// members in it learn that it has no home here any more. The first of them claims it, and its members enter it again with
/// their cursors. Their participants stay, as they do when a home is lost.
extension Home {
    /// Rooms that are being stored and released at a time. The others go on as before meanwhile.
    private static let atOnceMax = 8

    /// Begins with the first rooms. `RelayHub.shardsHandingOver` counts the shards that have not finished.
    func handOver() {
        guard !isHandingOver else { return }
        isHandingOver = true
        handOverNext()
    }

    private func handOverNext() {
        guard isHandingOver else { return }
        while released.count < Self.atOnceMax, let home = rooms.values.first { handOver(home) }
        guard rooms.isEmpty, released.isEmpty, !hasHandedOver else { return }
        hasHandedOver = true
        hub.shardsHandingOver.subtract()
    }

    private func handOver(_ home: HomeRoom) {
        let nodes = Set(home.subscribers.compactMap { $0.sink.node }).union(home.enteringNodes)
        released[home.id] = nodes.subtracting([hub.node])
        context.asOne { tick(home) }
        // An empty room has gone out of use with its tick.
        if rooms[home.id] === home { retire(home) }
    }

    /// The store says that the room has no home any more, or that it cannot say it. The lease ends soon in any case.
    func hasReleased(_ id: RoomID) {
        for node in released.removeValue(forKey: id)?.sorted() ?? [] { refuseHome(id, to: node) }
        handOverNext()
    }

    /// A room is wanted while this node gives its rooms away: the others have to look for its home, or to become it.
    func refuse(_ room: LoadingRoom, _ id: RoomID) {
        for node in room.takeErrands(ofOtherNodesThan: hub.node) { refuseHome(id, to: node) }
        for errand in room.waiting { fail(errand, Self.unreachable, id) }
    }
}
