import Transport

/// Connections of users on one shard that are not Socket.IO's. The edge passes on what concerns a user and no room.
package protocol PersonalConnections: AnyObject {
    func tell(_ event: PersonalEvent)
    /// Ends connections for good, and answers how many.
    func end(_ whose: ConnectionsOf) -> Int
    /// Ends the connections of peers for good, and answers how many.
    func end(ofPeers isMeant: (PeerAddress) -> Bool) -> Int
    /// The server stops: takes no new connections, and closes those that are open within some time.
    func drain(over milliseconds: Int)
    /// The server goes on: takes new connections again.
    func takeBack()
}

/// An event for all connections of a user, whatever rooms they are in: a message to the user, for instance.
///
/// The server tells it once, to the connections that are open, and does not keep it: what it tells of can be asked for.
package struct PersonalEvent: Sendable, Equatable {
    package let person: String
    package let name: String
    /// A JSON object.
    package let argument: [UInt8]

    /// Whether it concerns rooms, and not accounts of this server: users of every kind of token get it.
    var isOfRooms: Bool { name == "room:added" }

    package init(_ name: String, to person: String, _ argument: [UInt8]) {
        self.person = person
        self.name = name
        self.argument = argument
    }
}
