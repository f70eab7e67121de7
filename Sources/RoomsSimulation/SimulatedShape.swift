/// How many servers there are, and what is between them.
struct SimulatedShape {
    /// Of each node.
    var shardCounts: [Int]
    /// Of records for one node that have not arrived there.
    var pipeBytesMax = 16 << 20
    /// How many frames between nodes are lost.
    var lossPercent = 0

    static func server(_ random: inout SimulationRandom) -> SimulatedShape {
        SimulatedShape(shardCounts: [1 + random.below(3)])
    }

    /// Nodes need not have the same number of shards.
    static func cluster(_ random: inout SimulationRandom) -> SimulatedShape {
        SimulatedShape(
            shardCounts: (0..<2 + random.below(2)).map { _ in 1 + random.below(2) },
            pipeBytesMax: random.pick([16 << 20, 16 << 20, 12_000]) ?? 0,
            lossPercent: random.pick([0, 0, 5, 30]) ?? 0)
    }
}
