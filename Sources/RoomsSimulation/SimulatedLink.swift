import Cluster
import Relay
import Rooms

/// The link of a simulated node to the others: its pipes, with a carrier that loses and delays.
final class SimulatedLink: RelayLink, @unchecked Sendable {
    /// What the pipes bring, for the relay of the node.
    private struct Incoming: ClusterLinkUser {
        let arrivals: LinkArrivals
        unowned let link: SimulatedLink

        func established(_ node: Int, life: UInt64) {
            link.node.world.note("node \(link.node.number) is connected to \(node)")
            arrivals.established(node, life: life)
        }
        func lost(_ node: Int) {
            link.node.world.note("node \(link.node.number) has lost \(node)")
            link.node.world.pipeLost()
            if !link.node.world.strikes(.ignoresLoss) { arrivals.lost(node) }
        }
        func received(_ record: [UInt8], from node: Int) -> Bool {
            if link.node.world.strikes(.losesRecord) { return true }
            do {
                if link.node.world.strikes(.doublesRecord) {
                    _ = arrivals.take(try LinkCodec.decode(record, from: node), from: node)
                }
                return arrivals.take(try LinkCodec.decode(record, from: node), from: node)
            } catch {
                link.node.world.fail("a record of node \(node) cannot be read")
                return true
            }
        }
        func unheard(_ node: Int) {}
        func carrierChanged(_ problem: String?) {}
    }

    private static let unheardMilliseconds: Int64 = 300

    fileprivate unowned let node: SimulatedNode
    private let bytesMax: Int
    private var pipes: Pipes
    private var deliveries = PipeDeliveries()
    private var incoming: Incoming?
    /// The nodes whose channels have no subscriber, and since when.
    private var unheardSince: [Int: Int64] = [:]

    init(_ node: SimulatedNode, boot: Int64, bytesMax: Int) {
        self.node = node
        self.bytesMax = bytesMax
        pipes = Pipes(of: node.number, boot: UInt64(boot), bytesMax: bytesMax)
    }

    func connect(_ arrivals: LinkArrivals) { incoming = Incoming(arrivals: arrivals, link: self) }
    func setPeers(_ living: Set<Int>) {
        pipes.setPeers(Dictionary(uniqueKeysWithValues: living.map { ($0, LinkFrame.versions) }))
    }
    func hurry() { pipes.hurry() }

    // MARK: For the relay

    func send(
        _ message: RelayMessage, holding: (any AnyObject & Sendable)?, to node: Int, life: UInt64
    ) -> Bool {
        guard let record = LinkCodec.encode(message) else { return false }
        return pipes.send(record, holding: holding, to: node, life: life)
    }

    /// The carrier looks by itself.
    func flush() {}

    func send(_ message: RelayMessage, to node: Int) -> Bool {
        guard let record = LinkCodec.encode(message) else { return false }
        return pipes.send(record, to: node, waitingAtMost: bytesMax)
    }

    func isLate(_ node: Int) -> Bool {
        let isLate = pipes.isLate(node)
        self.node.world.reach(.late, if: isLate)
        return isLate
    }

    func tell(_ event: PersonalEvent, to node: Int) { _ = send(.personal(event), to: node) }

    var others: [Int] { pipes.peers }

    // MARK: The carrier

    /// Whether something is on its way through the pipes.
    var isBusy: Bool {
        !deliveries.isEmpty || pipes.peers.contains { pipes.keptBytes(for: $0) > 0 || pipes.life(to: $0) == nil }
    }

    func receive(_ frame: LinkFrame) { pipes.receive(frame) }

    /// Gives the relay what has come, and what it could not take before.
    func deliver() {
        guard let incoming else { return }
        deliveries.add(from: &pipes)
        _ = pipes.rest(at: node.world.now.monotonic)
        let offered = deliveries.deliver(to: incoming)
        PipeDeliveries.block(offered, in: &pipes)
    }

    /// - Returns: nodes whose channels have had no subscriber for a while.
    func publish(_ put: (LinkFrame) -> Bool) -> Set<Int> {
        let now = node.world.now.monotonic
        var unheard: Set<Int> = []
        for peer in pipes.peers {
            for frame in pipes.takeFrames(to: peer, at: now) {
                if put(frame) {
                    unheardSince[peer] = nil
                } else if now - (unheardSince[peer] ?? now) >= Self.unheardMilliseconds {
                    unheard.insert(peer)
                } else if unheardSince[peer] == nil {
                    unheardSince[peer] = now
                }
            }
        }
        return unheard
    }
}
