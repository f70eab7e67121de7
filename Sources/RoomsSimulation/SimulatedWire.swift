import Cluster

/// Redis, as the carrier between the nodes: it delivers in order, and loses.
final class SimulatedWire {
    private unowned let world: Simulation
    private var frames: [Int: [LinkFrame]] = [:]
    private let lossPercent: Int

    init(_ world: Simulation, lossPercent: Int) {
        self.world = world
        self.lossPercent = lossPercent
    }

    /// Whether records are on their way to a node.
    func hasRecords(for node: Int) -> Bool { frames[node]?.contains { !$0.isIdle } ?? false }

    /// - Returns: whether the channel has a subscriber.
    func put(_ frame: LinkFrame, from node: SimulatedNode) -> Bool {
        guard world.nodes.indices.contains(frame.to) else { return false }
        let target = world.nodes[frame.to]
        guard target.phase != .down, target.hears else { return false }
        guard !world.random.percent(lossPercent) else {
            world.reach(.frameLost, if: !frame.isIdle)
            return true
        }
        frames[frame.to, default: []].append(frame)
        return true
    }

    /// What arrives at a node.
    func take(to node: SimulatedNode, atMost count: Int) -> [LinkFrame] {
        guard let waiting = frames[node.number], !waiting.isEmpty else { return [] }
        frames[node.number] = Array(waiting.dropFirst(count))
        return Array(waiting.prefix(count))
    }

    /// Everything that is on its way to a node is lost.
    func cut(_ node: Int) { frames[node] = nil }
}
