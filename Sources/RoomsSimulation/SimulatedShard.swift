import Rooms

/// A connection as its shard has it.
final class SimulatedConnection {
    let id: ConnectionID
    unowned let client: ModelClient
    /// How many bytes it reads at a time; 0 while it stalls.
    var readMax: Int
    var pipe: SimulatedPipe
    var isOpen = true
    var rooms: [Int] = []
    /// Closed rooms whose log it has not been sent to its end, with their replicas' keys.
    var farewells: [(key: Int, room: Int)] = []
    /// The memberships of these rooms, and what was written of them to a client that gets offsets.
    var memberships: [Int: UInt64] = [:]
    var trail = Trail()
    /// The newest request by room.
    var joining: [Int: Int] = [:]
    /// Answers that wait until what was written has gone out.
    var outbox: [[UInt8]] = []
    /// For planted bugs: a position that was sent once.
    var oldTouch: [UInt8] = []

    init(_ id: ConnectionID, _ client: ModelClient, readMax: Int, capacity: Int) {
        self.id = id
        self.client = client
        self.readMax = readMax
        pipe = SimulatedPipe(capacity: capacity)
    }
}

/// What a shard has: connections, and replicas of the rooms in which any of them is.
final class SimulatedShard {
    let number: Int
    /// By room; those of closed rooms by numbers below zero.
    var replicas: [Int: RoomReplica] = [:]
    var connections: [ConnectionID: SimulatedConnection] = [:]

    init(_ number: Int) { self.number = number }

    func remove(_ connection: ConnectionID, from room: Int) {
        replicas[room]?.remove(connection)
        if replicas[room]?.members.isEmpty == true { replicas[room] = nil }
    }
}

/// What goes between shards, in mailboxes that keep the order.
enum SimulatedMessage {
    case join(JoinRequest)
    case leave(room: Int, ConnectionID)
    case lose(room: Int, ConnectionID)
    case act(room: Int, ConnectionID, SimulatedAct)

    case delta(room: Int, RoomDelta)
    case joined(SimulatedAnswer)
    case refused(JoinRequest)
    case takenOver(room: Int, ConnectionID)
}

enum SimulatedAct {
    case move(element: Bool)
    case end
    case create(clientID: String?)
    case update(String, version: Int?)
    case delete(String)
}

/// What a home answers to who has joined.
struct SimulatedAnswer {
    let request: JoinRequest
    let slot: Int
    let snapshot: RoomDelta
    let seq: UInt64
    /// Set when the client can go on from where it was.
    let missed: [LogEntry]?
    /// The members of `room:joined`.
    let json: [UInt8]
}
