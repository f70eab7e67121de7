import Rooms
import Store
import Transport

/// A node that ends in good order gives its rooms away, so that no other node has to wait for the end of its lease.
///
/// The sessions of the node have ended by then. A room is told its last tick, stored and released; then the nodes with
/// members in it learn that it has no home here any more. The first of them claims it, and its members enter it again with
/// their cursors. Their participants stay, as they do when a home is lost. The next room's turn comes when one of these
/// nodes knows the next home: the others cannot claim rooms as fast as this node could give them away.
extension Home {
    /// Rooms that are being given to other nodes at a time, and rooms that are being given away or stored for good. The
    /// others go on as before meanwhile.
    private static let (movingMax, atOnceMax) = (2, 8)
    private static let retryMilliseconds = 300
    /// How long the next room waits for a node that does not say whether it knows the next home of the last one.
    private static let nextHomeMilliseconds = 1_000

    /// Begins with the first rooms. `RelayHub.shardsHandingOver` counts the shards that have not finished.
    func handOver() {
        guard !isHandingOver else { return }
        isHandingOver = true
        handOverNext()
    }

    func handOverNext() {
        while released.count < Self.atOnceMax, released.values.count(where: { !$0.nodes.isEmpty }) < Self.movingMax,
            let home = rooms.values.first
        { handOver(home) }
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

    /// All of the room is stored, or will never be.
    func release(_ id: RoomID, fence: Int64, afterLoss: Bool) {
        guard let cluster = hub.cluster else { return }
        released[id]?.proof = (fence, afterLoss)
        let (isAwaited, mailbox) = (released[id] != nil, mailbox)
        cluster.homes.release(id.text, fence: fence, afterLoss: afterLoss) { result in
            let isStored = (try? result.get()) != nil
            if isAwaited { mailbox.insist(RelayMessage.home(id, .released(isStored: isStored))) }
        }
    }

    /// The store has said whether the room has no home any more. Before it has none, nobody is told: the others would
    /// find this node again.
    func hasReleased(_ id: RoomID, isStored: Bool) {
        if !isStored, let (fence, afterLoss) = released[id]?.proof {
            let timer = LoopTimer { [unowned self] in self.release(id, fence: fence, afterLoss: afterLoss) }
            return loop.arm(timer, in: Self.retryMilliseconds)
        }
        guard let nodes = released[id]?.tell(), !nodes.isEmpty else { return hasNextHome(id) }
        for node in nodes { giveAway(id, to: node) }
        let timer = LoopTimer { [unowned self] in self.hasNextHome(id) }
        released[id]?.timer = timer
        loop.arm(timer, in: Self.nextHomeMilliseconds)
    }

    /// Tells a node that this one is not home to the room any more: at once, or when the store knows it.
    func giveAway(_ id: RoomID, to node: Int) {
        if let given = released[id], !given.isTold {
            given.nodes.insert(node)
        } else {
            context.post(.outpost(id, .givenAway, from: hub.node), to: node)
        }
    }

    /// A room that was given away has another home, or no node needs it now.
    func hasNextHome(_ id: RoomID) {
        guard released[id]?.isTold == true else { return }
        if let timer = released.removeValue(forKey: id)?.timer { loop.cancel(timer) }
        handOverNext()
    }

    /// A node is lost: it says nothing of the rooms that it was told of.
    func waitNoMore(for node: Int) {
        for (id, room) in released where room.isTold && room.nodes.remove(node) != nil && room.nodes.isEmpty {
            hasNextHome(id)
        }
    }

    /// A room is wanted while this node gives its rooms away. The other nodes look for its home, or become it.
    func refuse(_ id: RoomID) {
        guard let room = loading.removeValue(forKey: id) else { return }
        loop.cancel(room.timer)
        let nodes = room.takeErrands(ofOtherNodesThan: hub.node)
        for node in nodes { giveAway(id, to: node) }
        fail(room, Self.unreachable, id)
    }
}

/// A room that is given away, until its next home is known.
final class ReleasedRoom {
    /// These learn of it once the store knows it.
    var nodes: Set<Int>
    /// Nil until all of it is stored.
    var proof: (fence: Int64, afterLoss: Bool)?
    private(set) var isTold = false
    var timer: LoopTimer?

    init(nodes: Set<Int>) {
        self.nodes = nodes
    }

    /// The nodes learn of it now.
    func tell() -> [Int] {
        isTold = true
        return nodes.sorted()
    }
}
