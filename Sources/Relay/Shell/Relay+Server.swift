import Identity
import Sessions
import Transport

/// The relay of a server: on a shard, for the clients of a namespace.
extension Relay {
    /// The shard keeps its relay until it stops.
    package convenience init(
        shard: Shard, hub: RelayHub, configuration: RelayConfiguration, verifier: any TokenVerifier
    ) {
        self.init(on: shard, shard.mailboxes, hub: hub, configuration: configuration, verifier: verifier)
        shard.keep(self)
        shard.turnEnding = { [unowned self] in self.endTurn() }
        shard.loadMeasured = { [unowned self] in self.home.adaptPace(to: $0) }
    }

    /// Opens a namespace of clients with tokens that use rooms.
    package func open(_ name: String, on server: SocketServer) {
        let (namespace, edge) = (server.open(name, RelayNamespace(edge)), edge)
        namespace.use { [unowned edge] in edge.checkRate(of: $0) }
        namespace.use { [unowned edge] in edge.admissions.check($0) }
    }
}

/// Forwards events of a namespace's clients to the edge.
private final class RelayNamespace: NamespaceHandler {
    private let edge: Edge

    init(_ edge: Edge) {
        self.edge = edge
    }

    /// The relay checks the JSON of events while it reads their fields.
    var checksArguments: Bool { true }

    func connected(_ socket: Socket) { edge.connected(socket) }

    func received(_ name: Span<UInt8>, _ arguments: Span<UInt8>, _ call: SocketCall, on socket: Socket) {
        edge.received(name, arguments, call, on: socket)
    }

    func drained(_ socket: Socket) { edge.drained(socket) }

    func draining(_ socket: Socket, closesInMilliseconds milliseconds: Int) {
        edge.draining(socket, closesInMilliseconds: milliseconds)
    }

    func disconnected(_ socket: Socket, _ reason: DisconnectReason) { edge.disconnected(socket, reason) }
}
