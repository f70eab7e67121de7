import RoomsClient

extension ClusterLink {
    package struct Options: Sendable {
        package var node: Int
        /// Greater with each start of the node.
        package var boot: UInt64
        package var cluster: String
        package var secret: [UInt8]
        /// Tried in turn.
        package var servers: [RedisServer]
        package var trust: TLSTrust?
        /// Of records for one node that have not arrived there.
        package var pipeBytesMax = ClusterLink.pipeBytesMax
        package var versions = LinkFrame.versions

        package init(
            node: Int, boot: UInt64, cluster: String, secret: [UInt8], servers: [RedisServer], trust: TLSTrust? = nil
        ) {
            self.node = node
            self.boot = boot
            self.cluster = cluster
            self.secret = secret
            self.servers = servers
            self.trust = trust
        }
    }
}
