import Rooms

/// A request to be let into a room, from a shard to the room's home.
struct JoinRequest {
    let number: Int
    let room: Int
    let connection: ConnectionID
    let person: Int
    /// The newest entry that the client has, if it wants to go on from there.
    let since: UInt64?
    /// The membership with which it goes on.
    let membership: UInt64
}

/// A room on its home shard, and beside it what should be so: who is there, by whose hand which touch goes on.
final class SimulatedHome {
    struct Presence: Equatable {
        var connections: [ConnectionID] = []
        var graceEnds: Int64?
        /// The newest position while touching, and whose hand made it.
        var touch: (x: Int, mover: ConnectionID)?

        static func == (one: Presence, other: Presence) -> Bool {
            one.connections == other.connections && one.graceEnds == other.graceEnds
                && one.touch?.x == other.touch?.x && one.touch?.mover == other.touch?.mover
        }
    }

    var room: Room
    let limits: RoomLimits
    var pending: [(request: JoinRequest, slot: Int)] = []
    var subscribed: [ConnectionID] = []
    /// What should be so.
    private(set) var people: [Int: Presence] = [:]

    init(_ number: Int, limits: RoomLimits, contents: RoomContents?) {
        self.limits = limits
        let incarnation = Simulation.incarnation(number)
        room = Room(
            id: "r\(number)", incarnation: incarnation, info: Array("{}".utf8), limits: limits, contents: contents)
    }

    var isEmpty: Bool { room.participantCount == 0 && pending.isEmpty }
    var subscribers: [Int] { Set(subscribed.map(\.shard)).sorted() }

    func person(of connection: ConnectionID) -> Int? {
        people.first { $0.value.connections.contains(connection) }?.key
    }

    func hasOtherDevice(_ connection: ConnectionID) -> Bool {
        person(of: connection).flatMap { people[$0] }.map { $0.connections.count > 1 } ?? false
    }

    func hasTouch(of connection: ConnectionID) -> Bool {
        people.values.contains { $0.touch?.mover == connection }
    }

    // MARK: What should be so

    /// - Returns: the connection that has to make room.
    func joined(_ connection: ConnectionID, _ person: Int) -> ConnectionID? {
        guard self.person(of: connection) == nil else { return nil }
        var takenOver: ConnectionID?
        if let first = people[person]?.connections.first,
            people[person]?.connections.count == limits.connectionsPerParticipantMax
        {
            takenOver = first
            takeOut(first, of: person)
        }
        people[person, default: Presence()].connections.append(connection)
        people[person]?.graceEnds = nil
        return takenOver
    }

    func left(_ connection: ConnectionID) {
        guard let person = person(of: connection) else { return }
        takeOut(connection, of: person)
        if people[person]?.connections.isEmpty == true { people[person] = nil }
    }

    func lost(_ connection: ConnectionID, at now: Moment) {
        guard let person = person(of: connection) else { return }
        takeOut(connection, of: person)
        if people[person]?.connections.isEmpty == true {
            people[person]?.graceEnds = now.monotonic + limits.graceMilliseconds
        }
    }

    /// - Returns: the connections that have to be told.
    func expelled(_ person: Int) -> [ConnectionID] {
        let connections = people[person]?.connections ?? []
        people[person] = nil
        return connections
    }

    private func takeOut(_ connection: ConnectionID, of person: Int) {
        people[person]?.connections.removeAll { $0 == connection }
        if people[person]?.touch?.mover == connection { people[person]?.touch = nil }
    }

    func expired(at now: Moment) {
        for (person, presence) in people {
            if let ends = presence.graceEnds, ends <= now.monotonic { people[person] = nil }
        }
    }

    func moved(_ person: Int, _ x: Int, by connection: ConnectionID) { people[person]?.touch = (x, connection) }

    func ended(_ person: Int) { people[person]?.touch = nil }

    /// What is wrong with the room.
    func problem() -> String? {
        room.checkInvariants()
        guard room.participantCount == people.count else {
            return "\(room.participantCount) participants instead of \(people.count)"
        }
        let connections = people.values.reduce(0) { $0 + $1.connections.count }
        guard room.connectionCount == connections, subscribed.count == connections else {
            return "\(room.connectionCount) connections, \(subscribed.count) subscribed, instead of \(connections)"
        }
        guard room.nextGraceEnds == people.values.compactMap(\.graceEnds).min() else { return "another next grace" }
        return nil
    }
}
