import Rooms
import Store
import Transport

/// A node that ends in good order gives its rooms away, so that no other node has to wait for the end of its lease.
///
/// The sessions of the node have ended by then. A room is told its last tick, stored and released; then the nodes with
/// members in it learn that it has no home here any more. The first of them claims it, and its members enter it again with
/// their cursors. Their participants stay, as they do when a home is lost.
extension Home {
    /// Rooms that are being stored and released at a time. The others go on as before meanwhile.
    private static let atOnceMax = 8
    private static let retryMilliseconds = 300

    /// Begins with the first rooms. `RelayHub.shardsHandingOver` counts the shards that have not finished.
    func handOver() {
        guard !isHandingOver else { return }
        isHandingOver = true
        handOverNext()
    }

    func handOverNext() {
        while released.count < Self.atOnceMax, let home = rooms.values.first { handOver(home) }
        let isDone = rooms.isEmpty && released.isEmpty
        guard isDone != hasHandedOver else { return }
        hasHandedOver = isDone
        hub.shardsHandingOver.add(isDone ? -1 : 1)
    }

    private func handOver(_ home: HomeRoom) {
        let nodes = Set(home.subscribers.compactMap { $0.sink.node }).union(home.enteringNodes)
        released[home.id] = ReleasedRoom(nodes: nodes.subtracting([hub.node]))
        context.asOne { tick(home) }
        // An empty room has gone out of use with its tick.
        if rooms[home.id] === home { retire(home) }
    }

    /// All of the room is stored.
    func release(_ id: RoomID, fence: Int64) {
        guard let cluster = hub.cluster else { return }
        released[id]?.fence = fence
        let (isAwaited, mailbox) = (released[id] != nil, mailbox)
        cluster.homes.release(id.text, fence: fence) { result in
            let isStored = (try? result.get()) != nil
            if isAwaited { mailbox.insist(RelayMessage.home(id, .released(isStored: isStored))) }
        }
    }

    /// The store has said whether the room has no home any more. Before it has none, nobody is told: the others would
    /// find this node again.
    func hasReleased(_ id: RoomID, isStored: Bool) {
        if !isStored, let fence = released[id]?.fence {
            let timer = LoopTimer { [unowned self] in self.release(id, fence: fence) }
            return loop.arm(timer, in: Self.retryMilliseconds)
        }
        for node in released.removeValue(forKey: id)?.nodes.sorted() ?? [] { refuseHome(id, to: node) }
        handOverNext()
    }

    /// A room is wanted while this node gives its rooms away. The other nodes look for its home, or become it.
    func refuse(_ id: RoomID) {
        guard let room = loading.removeValue(forKey: id) else { return }
        loop.cancel(room.timer)
        let nodes = room.takeErrands(ofOtherNodesThan: hub.node)
        if released[id] == nil {
            for node in nodes { refuseHome(id, to: node) }
        } else {
            released[id]?.nodes.formUnion(nodes)
        }
        fail(room, Self.unreachable, id)
    }
}

/// A room that is given away, until the store knows it.
struct ReleasedRoom {
    /// These learn of it then.
    var nodes: Set<Int>
    /// Nil until all of it is stored.
    var fence: Int64?
}
