/// The numbers of a link at one moment.
package struct LinkReading: Sendable {
    /// The pipe to another node.
    package struct Peer: Sendable {
        package let node: Int
        /// The versions of the link that it speaks.
        package let versions: ClosedRange<Int>
        /// The one in which this node writes to it; nil when both have none in common: then they do not reach each other.
        package let version: Int?
        /// Whether records can be sent.
        package let isConnected: Bool
        /// Bytes of records that have not arrived there.
        package let waitingBytes: Int
        package let counts: PipeCounts
    }

    /// Whether Redis can be reached.
    package let isCarried: Bool
    /// By number, without this node.
    package let peers: [Peer]

    package init(isCarried: Bool, peers: [Peer]) {
        self.isCarried = isCarried
        self.peers = peers
    }
}

/// What a pipe has counted since the start of its node.
package struct PipeCounts: Sendable, Equatable {
    package var records = 0
    /// Of the records.
    package var bytes = 0
    /// Frames with records, and those of them that had been published before.
    package var frames = 0
    package var framesAgain = 0
    /// How often what was under way was lost.
    package var losses = 0
}
