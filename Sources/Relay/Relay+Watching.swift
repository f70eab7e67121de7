import Rooms
import Sessions
import Store
import Transport

/// A room for operators, from its home shard.
package struct RoomFigures: Sendable {
    /// What the room does.
    package enum State: Sendable, Equatable {
        case serving
        /// Its changes cannot be stored, and are refused. Touches go on.
        case degraded
        /// Its home is another node. The figures are those of this node alone.
        case elsewhere(Int)
    }

    package let id: String
    package let shard: Int
    package let state: State
    /// Positions and entries in a second, lately.
    package let load: Double
    package let connections: Int
    package let participants: Int
    package let elements: Int
    package let logBytes: Int
    /// The number of the newest entry of its log.
    package let seq: UInt64
    /// The time between two of its ticks while touches move.
    package let tickMilliseconds: Int
    package let backlogEntries: Int
}

/// A connection in a room for operators, from the connection's shard.
package struct RoomMember: Sendable {
    package let person: String
    package let shard: Int
    package let socket: String
    /// `websocket` or `polling`.
    package let transport: String
    package let isSecure: Bool
    package let wantsBatches: Bool
    package let wantsTicks: Bool
    package let peer: String
    /// How far it is behind the room.
    package let ticksBehind: UInt64
    package let entriesBehind: UInt64
}

/// The questions of operators to a shard.
extension Relay {
    /// The first rooms of this shard in an order. It visits every room in use.
    package func rooms(_ query: RoomQuery) -> [RoomFigures] {
        query.order == .id ? home.next(query) : home.busiest(query)
    }

    package func summary(of roomID: String) -> RoomFigures? { home.summary(of: roomID) }

    /// A JSON object; nil on other shards than the room's home, and when the room is not in use.
    package func picture(of roomID: String, participantsMax: Int, elementsMax: Int) -> [UInt8]? {
        home.picture(of: roomID, participantsMax: participantsMax, elementsMax: elementsMax)
    }

    /// The connections of this shard in a room, those that are furthest behind first.
    package func members(of roomID: String, _ most: Int) -> [RoomMember] { edge.members(of: roomID, most) }
}

extension Home {
    /// The rooms with the smallest ids after one.
    func next(_ query: RoomQuery) -> [RoomFigures] {
        let ids = rooms.keys.lazy.map(\.text) + outposts.keys.lazy.map(\.text)
        return ids.filter(query.isMeant).sorted(by: RoomQuery.precedes).prefix(query.most).compactMap {
            summary(of: $0)
        }
    }

    /// The rooms of this shard with the most load, or the most connections.
    func busiest(_ query: RoomQuery) -> [RoomFigures] {
        let (most, byConnections) = (query.most, query.order == .connections)
        var top: [(home: HomeRoom, rank: Double)] = []
        // Those with a home elsewhere have no load here.
        let elsewhere = outposts.values.filter { query.isMeant($0.id.text) }
            .sorted { $0.members.count > $1.members.count }.prefix(most).map(summary)
        var least = -1.0
        for home in rooms.values where query.text.isEmpty || query.isMeant(home.id.text) {
            let rank = byConnections ? Double(home.room.connectionCount) : home.activity.heat(at: loop.now)
            guard rank > least else { continue }
            top.append((home, rank))
            // Sorted only from time to time, so that a room with little load costs one comparison.
            guard top.count >= 4 * most else { continue }
            top.sort { $0.rank > $1.rank }
            top.removeLast(top.count - most)
            least = top.last?.rank ?? least
        }
        return top.sorted { $0.rank > $1.rank }.prefix(most).map { summary(of: $0.home) } + elsewhere
    }

    func summary(of roomID: String) -> RoomFigures? {
        let id = RoomID(roomID)
        return rooms[id].map(summary) ?? outposts[id].map(summary)
    }

    private func summary(of outpost: Outpost) -> RoomFigures {
        RoomFigures(
            id: outpost.id.text, shard: loop.index, state: .elsewhere(outpost.node), load: 0,
            connections: outpost.members.count, participants: 0, elements: 0, logBytes: 0, seq: 0, tickMilliseconds: 0,
            backlogEntries: 0)
    }

    private func summary(of home: HomeRoom) -> RoomFigures {
        RoomFigures(
            id: home.id.text, shard: loop.index, state: home.journal?.isFailing == true ? .degraded : .serving,
            load: home.activity.heat(at: loop.now) * 1_000 / RoomActivity.heatMilliseconds,
            connections: home.room.connectionCount, participants: home.room.participantCount,
            elements: home.room.elementCount, logBytes: home.room.keptLogBytes, seq: home.room.lastSeq,
            tickMilliseconds: Int(tickInterval(of: home)), backlogEntries: home.journal?.backlog.count ?? 0)
    }

    /// A JSON object; nil on other shards than the room's home, and when the room is not in use.
    func picture(of roomID: String, participantsMax: Int, elementsMax: Int) -> [UInt8]? {
        rooms[RoomID(roomID)]?.room.picture(participantsMax: participantsMax, elementsMax: elementsMax)
    }
}

extension Edge {
    /// The connections of this shard in a room, those that are furthest behind first.
    func members(of roomID: String, _ most: Int) -> [RoomMember] {
        guard let room = locals[RoomID(roomID)] else { return [] }
        let ranked = room.members.map { (client: $0, lag: room.lag(of: $0)) }
        return ranked.sorted { ($0.lag.entries, $0.lag.ticks) > ($1.lag.entries, $1.lag.ticks) }.prefix(most).map {
            client, lag in
            RoomMember(
                person: client.person.id, shard: loop.index, socket: client.socket.identity.sid.description,
                transport: client.session.transportName, isSecure: client.session.isSecure,
                wantsBatches: client.form.contains(.batches), wantsTicks: client.form.contains(.ticks),
                peer: client.session.peer.text,
                ticksBehind: lag.ticks, entriesBehind: lag.entries)
        }
    }
}
