import Rooms
import Sessions

/// The state of a shard's relay at one moment, to check that the shards of a server agree.
package struct RelayAudit: Sendable {
    /// A room on its home.
    package struct Home: Sendable {
        package let room: String
        package let incarnation: UInt64
        package let seq: UInt64
        package let people: Set<String>
        package let connections: Set<ConnectionID>
        package let isStored: Bool
    }

    package var homes: [Home] = []
    /// A client in a room that has admitted it.
    package struct Membership: Sendable {
        package let room: String
        package let connection: ConnectionID
        package let sid: SessionID
        package let person: String
    }

    package var memberships: [Membership] = []
    package var clients = 0
    /// Connections that can be claimed, by the `pid`s that name this shard.
    package var claimable = 0
    /// Items that wait for an answer, by kind. All are 0 when no message is on its way.
    package var waiting: [(what: String, count: Int)] = []
}

extension Relay {
    /// Whether a client asks a room again in a moment.
    package var hasLaterEntries: Bool { edge.laterCount > 0 }

    package var audit: RelayAudit {
        var audit = RelayAudit()
        for home in self.home.rooms.values {
            home.room.checkInvariants()
            audit.homes.append(
                RelayAudit.Home(
                    room: home.id.text, incarnation: home.room.incarnation, seq: home.room.lastSeq,
                    people: home.room.people,
                    connections: home.room.connections, isStored: home.isStored))
        }
        for client in edge.clients.values {
            audit.memberships += client.memberships.map {
                RelayAudit.Membership(
                    room: $0.room.id.text, connection: client.id, sid: client.socket.identity.sid,
                    person: client.person.id)
            }
        }
        audit.clients = edge.clients.count
        audit.claimable = returns.connectionCount
        audit.waiting = [
            ("rooms that are being read", home.loading.count),
            ("closed rooms that are not stored", home.settling.count),
            ("questions to the directory", edge.lookups.count), ("claims", edge.claimants.count),
            ("clients to be welcomed", edge.welcomes.count), ("clients' held events", edge.heldEventCount),
            ("claims that are looked into", returns.claimCount),
            ("changes that wait for a home", self.home.keptChanges.count),
            ("questions to other nodes", self.home.outposts.values.reduce(0) { $0 + $1.waitingCount }),
            ("rooms that are being given away", self.home.released.count),
            ("rooms with positions for nodes that are late", self.home.owed.count),
            ("rooms that refuse changes", self.home.rooms.values.count { $0.journal?.isFailing == true }),
        ]
        return audit
    }
}

extension Edge {
    fileprivate var heldEventCount: Int { clients.values.reduce(0) { $0 + $1.held.count } }
}
