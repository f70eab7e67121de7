import Cluster
import Store

/// This server as a node of a cluster, for operators.
package protocol ClusterWatch: Sendable {
    var reading: ClusterReading { get }
    /// All nodes that the cluster ever had, by their numbers; nil if the database does not answer.
    func nodes(then answer: @escaping @Sendable ([NodeRecord]?) -> Void)
}

/// The numbers of this node at one moment.
package struct ClusterReading: Sendable {
    package let node: Int
    package let link: LinkReading
    /// How long ago the lease was renewed, and how often it was over before.
    package let leaseMilliseconds: Int64
    package let lapses: Int
    /// Whether the node reaches neither the database nor Redis.
    package let isCutOff: Bool

    package init(node: Int, link: LinkReading, leaseMilliseconds: Int64, lapses: Int, isCutOff: Bool) {
        self.node = node
        self.link = link
        self.leaseMilliseconds = leaseMilliseconds
        self.lapses = lapses
        self.isCutOff = isCutOff
    }
}
