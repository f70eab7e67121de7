import Store

/// The cluster that a server is a node of, for its relay.
package struct RelayCluster: Sendable {
    let node: ClusterNode
    let homes: any HomeStore
    let link: any RelayLink

    package init(node: ClusterNode, homes: any HomeStore, link: any RelayLink) {
        self.node = node
        self.homes = homes
        self.link = link
    }
}

/// The way to other nodes, for any thread. Messages to one node arrive once and in order, or the pipe to it is lost:
/// then all shards are told (`PeerMessage`).
package protocol RelayLink: Sendable {
    /// Takes a message, which `flush` sends at the latest.
    ///
    /// - Parameters:
    ///   - holding: is released when the node has the message, or the pipe is lost.
    ///   - life: the life of the pipe, as the shard was told it.
    /// - Returns: false when the message is not sent, because that life is over.
    func send(
        _ message: RelayMessage, holding: (any AnyObject & Sendable)?, to node: Int, life: UInt64
    ) -> Bool
    func flush()
    /// Sends a message that nothing has to be in order with.
    ///
    /// - Returns: false when the message is not sent.
    func send(_ message: RelayMessage, to node: Int) -> Bool
    /// Sends news that may be lost. It leaves most of the pipe to rooms.
    func tell(_ event: PersonalEvent, to node: Int)
    /// Whether a node is so far behind that only what must not be lost should be sent there, and newest positions later.
    func isLate(_ node: Int) -> Bool
    /// The nodes that live besides this one.
    var others: [Int] { get }
}

/// The numbers of nodes.
package enum NodeNumber {
    /// A `sid` names its node in six bits.
    package static let all = 0..<64
}
