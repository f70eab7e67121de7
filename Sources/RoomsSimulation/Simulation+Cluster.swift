import Relay
import Rooms

/// What happens to a cluster.
extension Simulation {
    func takeClusterStep() {
        let node = random.pick(running)
        switch random.below(280) {
        case 0..<80: if let node { turn(node, random.below(node.shardCount)) }
        case 80..<140: if let client = random.pick(clients) { act(client) }
        case 140..<168: if let client = random.pick(clients) { read(client) }
        case 168..<180: passClusterTime()
        case 180..<200: if let node { answerSomething(node) }
        case 200..<202: command()
        case 202..<208: if let client = random.pick(clients) { vanish(client) }
        case 208..<270: node?.carry(atMost: 1 + random.below(4))
        default: if let node = random.pick(nodes) { disturb(node) }
        }
    }

    private func disturb(_ node: SimulatedNode) {
        switch random.below(20) {
        case 0..<3:
            note("node \(node.number) freezes")
            reach(.frozen)
            // It may have been about to store that a client was put out of a room.
            hasRestarted = true
            node.freeze()
            if random.percent(50) { outlast(node) }
        case 3..<6: wake(node)
        case 6: if node.phase != .down { kill(node) }
        case 7..<10: node.start()
        case 10..<12: storeFails(node.store?.isFailing == false, node)
        case 12: if random.percent(30) { restartDatabase() }
        case 13: node.speaks.toggle()
        case 14: hear(node, !node.hears)
        case 15: if random.percent(30) { cutWire() }
        case 16: node.clockError += Int64(random.below(20_000) - 10_000)
        case 17: drain(node)
        default: wake(node)
        }
    }

    /// A node is frozen for longer than its lease, while clients go on at the other nodes and want its rooms. Then it goes on
    /// with what it had begun, and with what its clients have sent meanwhile.
    private func outlast(_ node: SimulatedNode) {
        guard !running.isEmpty else { return }
        for _ in 0..<14 + random.below(8) {
            for _ in 0..<2 { if let client = random.pick(clients) { act(client) } }
            passInSteps(250)
            if let client = random.pick(clients) { read(client) }
        }
        if random.percent(80) { wake(node) }
    }

    private func wake(_ node: SimulatedNode) {
        guard node.phase == .frozen else { return }
        note("node \(node.number) wakes")
        node.wake()
        disturb()
    }

    /// A node's subscription at Redis ends or begins.
    private func hear(_ node: SimulatedNode, _ hears: Bool) {
        guard node.hears != hears else { return }
        note("node \(node.number) hears \(hears ? "again" : "nothing more")")
        node.hears = hears
        if hears { node.link?.hurry() } else { wire.cut(node.number) }
    }

    private func cutWire() {
        note("Redis restarts")
        for node in nodes {
            wire.cut(node.number)
            node.link?.hurry()
        }
    }

    private func restartDatabase() {
        note("the database restarts")
        for node in nodes { storeFails(true, node) }
        database?.starts += 1
    }

    private func drain(_ node: SimulatedNode) {
        guard node.isRunning, !node.isDraining else { return }
        note("node \(node.number) drains")
        disturb()
        hasRestarted = true
        // What its clients have not read yet, the node forgets with its end.
        for client in clients where client.connection?.loop.node === node { forgetUntold(client) }
        node.drain()
    }

    /// Time passes while the nodes that are not frozen go on.
    private func passClusterTime() {
        passInSteps(Int64(random.pick([0, 1, 4, 7, 40, 51, 51, 1_000, 5_001]) ?? 0))
        now.unixSeconds += Int64(random.pick([0, 0, 1, 5]) ?? 0)
    }

    private func passInSteps(_ milliseconds: Int64) {
        note("\(milliseconds) ms pass")
        var left = milliseconds
        repeat {
            let step = min(left, 250)
            now.monotonic += step
            left -= step
            for node in nodes { node.live() }
            if milliseconds >= 250 { goOn() }
        } while left > 0
    }

    /// All that is not frozen or cut off does what it has to do.
    private func goOn() {
        for _ in 0..<2 {
            while directory.isWaiting { directory.answerNext() }
            for node in running {
                while node.store?.isWorking == true { node.store?.doNext() }
                node.carry(atMost: .max)
                for shard in 0..<node.shardCount { turn(node, shard, takesAll: true) }
                node.carry(atMost: .max)
            }
        }
    }

    // MARK: Quiet

    /// Ends all that is wrong, but what the nodes themselves have to find out.
    func heal() {
        for node in nodes {
            storeFails(false, node)
            node.wake()
            node.speaks = true
            hear(node, true)
            if node.phase == .down { node.start() }
        }
    }

    /// Whether nodes or what is between them are busy.
    var isClusterBusy: Bool {
        guard isCluster else { return false }
        return nodes.contains { node in
            node.phase != .running || node.isDraining || node.link?.isBusy != false || wire.hasRecords(for: node.number)
                || node.server.relays.map(\.audit).contains { audit in
                    // An append whose answer was lost is repeated later.
                    audit.waiting.contains { $0.count > 0 } || audit.homes.contains { !$0.isStored }
                }
        }
    }

    func settleNodes() {
        for node in nodes {
            if node.phase == .down { node.start() }
            node.live()
            node.carry(atMost: .max)
        }
    }
}
