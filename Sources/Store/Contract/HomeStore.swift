/// A node of a cluster, in one of its lives.
package struct ClusterNode: Sendable, Hashable {
    package let id: Int
    /// One more with each start of the node.
    package let boot: Int64

    package init(id: Int, boot: Int64) {
        self.id = id
        self.boot = boot
    }
}

/// A node of a cluster, as the database knows it.
package struct NodeRecord: Sendable, Equatable {
    package let node: ClusterNode
    package let version: String
    /// The versions of messages between nodes that it speaks.
    package let linkVersions: ClosedRange<Int>
    /// How much is left of its lease. The node does not live when there is nothing.
    package let leaseMilliseconds: Int64
    /// Whether an operator wants it to hand over its rooms and end.
    package let isDraining: Bool
    /// What it said of itself last, a JSON object; empty if it has said nothing.
    package let report: String

    package var isAlive: Bool { leaseMilliseconds > 0 }
}

/// What became of a node that an operator wants to be forgotten.
package enum NodeForgetting: Sendable {
    case forgotten
    case lives
    /// It never was there, or is forgotten already.
    case unknown
}

/// Which node of a cluster is home to a room. The database alone decides it.
package protocol HomeStore: RoomStore {
    /// Makes a node the home of a room, unless another node is that and lives. With the claim the contents of the room are
    /// read, after everything that earlier homes have stored. What those append from then on is refused.
    func claim(_ room: String, by node: ClusterNode, then answer: @escaping Answer<RoomClaim>)

    /// Appends entries as the room's home. The answer is `notHome` when another node has claimed the room, unless these
    /// very entries are stored already.
    func append(
        _ entries: [JournalEntry], to room: String, fence: Int64, then answer: @escaping Answer<UInt64>)

    /// Whether no other node has claimed the room since.
    func isHome(_ room: String, fence: Int64, then answer: @escaping Answer<Bool>)

    /// All nodes that the cluster ever had and that are not forgotten, by their numbers.
    func nodes(then answer: @escaping Answer<[NodeRecord]>)

    /// The room has no home any more, if it is this one still. Claims that this node asks for later come after it.
    ///
    /// - Parameter afterLoss: whether members may have been told changes that are not stored: `countLoss`.
    func release(_ room: String, fence: Int64, afterLoss: Bool, then answer: @escaping Answer<Void>)
}

package enum RoomClaim: Sendable, Equatable {
    /// The node is home to the room. `fence` is the proof of it for appends. The room is nil if nothing was ever stored
    /// in it.
    case here(StoredRoom?, fence: Int64)
    /// Another node is home to the room.
    case elsewhere(Int)
}
