/// The pipes of a node to all others.
///
/// It is a value without I/O and without a clock: the simulation drives it, too.
package struct Pipes {
    private let node: Int
    private let boot: UInt64
    private let bytesMax: Int
    private let versions: ClosedRange<Int>
    private var pipes: [Int: Pipe] = [:]
    /// The other nodes that live, with the versions of the link that they speak.
    private var living: [Int: ClosedRange<Int>] = [:]

    /// - Parameters:
    ///   - boot: a number that is greater with each start of the node.
    ///   - bytesMax: of records for one node that have not arrived there.
    ///   - versions: those of frames that the node reads and writes.
    package init(of node: Int, boot: UInt64, bytesMax: Int, versions: ClosedRange<Int> = LinkFrame.versions) {
        self.node = node
        self.boot = boot
        self.bytesMax = bytesMax
        self.versions = versions
    }

    /// The nodes that are alive, with the versions that they speak. The pipes to all others are lost, and those to nodes that
    /// speak no version of this one.
    package mutating func setPeers(_ nodes: [Int: ClosedRange<Int>]) {
        living = nodes.filter { $0.key != node }
        for peer in living.keys {
            guard let version = version(with: peer) else { continue }
            if pipes[peer] == nil {
                pipes[peer] = Pipe(from: node, to: peer, version: version, boot: boot, bytesMax: bytesMax)
            } else {
                pipes[peer]?.agreedVersion = version
            }
        }
        for peer in pipes.keys where version(with: peer) == nil {
            if pipes[peer]?.life != nil { pipes[peer]?.lose() }
        }
    }

    /// The newest version that this node and a living one speak.
    private func version(with peer: Int) -> Int? {
        guard let theirs = living[peer], theirs.overlaps(versions) else { return nil }
        return min(theirs.upperBound, versions.upperBound)
    }

    /// The nodes to which there is a pipe, by number. Frames of others are not read, and nothing is sent to them.
    package var peers: [Int] { living.keys.filter { version(with: $0) != nil }.sorted() }
    /// The life of the pipe to a node; nil while nothing can be sent there.
    package func life(to peer: Int) -> UInt64? { pipes[peer]?.life }
    /// Bytes of records that a node has not received.
    package func keptBytes(for peer: Int) -> Int { pipes[peer]?.keptBytes ?? 0 }

    /// Whether a node is so far behind that only what must not be lost should be sent there, and newest states later.
    package func isLate(_ peer: Int) -> Bool { pipes[peer]?.isLate ?? false }

    /// A node that does not live was ended on purpose, or the nodes that reach it no more have said so.
    var reading: [LinkReading.Peer] {
        living.sorted { $0.key < $1.key }.map { node, versions in
            let pipe = pipes[node]
            return LinkReading.Peer(
                node: node, versions: versions, version: version(with: node) == nil ? nil : pipe?.version,
                isConnected: pipe?.life != nil, waitingBytes: pipe?.keptBytes ?? 0, counts: pipe?.counts ?? PipeCounts()
            )
        }
    }

    // MARK: Sending

    /// See `Pipe.send`.
    package mutating func send(
        _ record: [UInt8], holding: (any AnyObject & Sendable)? = nil, to peer: Int, life: UInt64
    ) -> Bool {
        pipes[peer]?.send(record, holding: holding, in: life) ?? false
    }

    /// Sends a record in whatever life the pipe has, unless more than so many bytes would wait for the node with it.
    package mutating func send(_ record: [UInt8], to peer: Int, waitingAtMost most: Int) -> Bool {
        pipes[peer]?.send(record, waitingAtMost: most) ?? false
    }

    /// The frames to be published to a node now.
    package mutating func takeFrames(to peer: Int, at now: Int64) -> [LinkFrame] {
        pipes[peer]?.takeFrames(at: now) ?? []
    }

    /// The carrier was away: what it has lost shows sooner.
    package mutating func hurry() {
        for peer in pipes.keys { pipes[peer]?.hurry() }
    }

    /// Looks how far the others are behind, releases what was held for too long, and says how long `takeFrames` need not be called if nothing else happens.
    package mutating func rest(at now: Int64) -> Int64 {
        for peer in pipes.keys { pipes[peer]?.rest(at: now) }
        return peers.compactMap { pipes[$0]?.millisecondsToWait(at: now) }.min() ?? Pipe.idleMilliseconds
    }

    // MARK: Receiving

    package mutating func receive(_ frame: LinkFrame) {
        guard frame.to == node, version(with: frame.from) != nil else { return }
        pipes[frame.from]?.receive(frame)
    }

    /// What has happened since the last call, by node.
    mutating func takeEvents() -> [Int: [Pipe.Event]] {
        var taken: [Int: [Pipe.Event]] = [:]
        for peer in pipes.keys {
            if let events = pipes[peer]?.takeEvents(), !events.isEmpty { taken[peer] = events }
        }
        return taken
    }

    mutating func block(_ peer: Int, _ isBlocked: Bool) {
        if pipes[peer]?.isBlocked != isBlocked { pipes[peer]?.isBlocked = isBlocked }
    }
}

/// What came through the pipes and the user of the link has not taken. What the user cannot take is offered again, and
/// what follows it from the same node waits.
package struct PipeDeliveries {
    private var waiting: [Int: [Pipe.Event]] = [:]

    package init() {}

    package var isEmpty: Bool { waiting.isEmpty }

    /// Adds what has happened since the last call.
    package mutating func add(from pipes: inout Pipes) {
        for (peer, events) in pipes.takeEvents() { waiting[peer, default: []] += events }
    }

    /// Gives the user all that it takes.
    ///
    /// - Returns: the nodes whose events were offered, and whether some of them wait.
    package mutating func deliver(to user: some ClusterLinkUser) -> [(peer: Int, isBlocked: Bool)] {
        waiting.keys.sorted().map { peer in
            waiting[peer] = deliver(waiting[peer] ?? [], from: peer, to: user)
            return (peer, waiting[peer] != nil)
        }
    }

    /// Blocks the pipes of nodes whose events wait, and opens the others.
    package static func block(_ offered: [(peer: Int, isBlocked: Bool)], in pipes: inout Pipes) {
        for (peer, isBlocked) in offered { pipes.block(peer, isBlocked) }
    }

    private func deliver(_ events: [Pipe.Event], from peer: Int, to user: some ClusterLinkUser) -> [Pipe.Event]? {
        for (index, event) in events.enumerated() {
            switch event {
            case .established(let life): user.established(peer, life: life)
            case .lost: user.lost(peer)
            case .record(let record):
                guard user.received(record, from: peer) else { return Array(events[index...]) }
            }
        }
        return nil
    }
}
