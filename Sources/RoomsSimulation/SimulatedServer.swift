import Identity
import Relay
import Rooms
import Transport

/// A server of some shards, each with the relay that a real one has.
final class SimulatedServer {
    let hub: RelayHub
    let loops: [SimulatedLoop]
    let mailboxes: [SimulatedMailbox]
    private(set) var relays: [Relay]
    let commands: RoomCommands
    /// By shard, the oldest first.
    private(set) var connections: [[SimulatedConnection]]

    /// - Parameter cluster: nil on a server that is not part of a cluster.
    init(_ world: Simulation, _ node: SimulatedNode, _ cluster: RelayCluster?) {
        hub = RelayHub(
            shardCount: node.shardCount, flow: .off, directory: world.directory, store: node.store,
            recorder: world.recorder, flights: world.flights, cluster: cluster)
        let loops = (0..<node.shardCount).map { SimulatedLoop($0, node) }
        let mailboxes = (0..<node.shardCount).map { SimulatedMailbox($0, node) }
        (self.loops, self.mailboxes) = (loops, mailboxes)
        let (hub, configuration) = (hub, world.configuration)
        relays = loops.map {
            Relay(on: $0, mailboxes, hub: hub, configuration: configuration, verifier: OpenVerifier())
        }
        commands = RoomCommands(mailboxes, hub)
        connections = Array(repeating: [], count: node.shardCount)
    }

    /// A server that has no shards any more.
    private init() {
        hub = RelayHub(shardCount: 0)
        (loops, mailboxes, relays, connections) = ([], [], [], [])
        commands = RoomCommands([], hub)
    }

    static var ended: SimulatedServer { SimulatedServer() }

    func add(_ connection: SimulatedConnection) { connections[connection.loop.index].append(connection) }

    func remove(_ connection: SimulatedConnection) {
        connections[connection.loop.index].removeAll { $0 === connection }
    }

    /// The process ends.
    func stop() {
        for mailbox in mailboxes { mailbox.isOpen = false }
        for loop in loops { loop.stop() }
        for connection in connections.flatMap({ $0 }) { connection.abandon() }
        connections = []
        // What they answer at their end, they answer now.
        relays = []
    }
}
