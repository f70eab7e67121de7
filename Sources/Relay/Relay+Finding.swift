import Rooms
import Sessions
import Transport
import Wire

/// Which rooms operators want to see.
package struct RoomQuery: Sendable {
    package enum Order: Sendable {
        case load, connections
        /// By the id, so that all rooms can be gone through page by page.
        case id
    }

    package let order: Order
    package let most: Int
    /// A part of the id.
    package let text: SearchText
    /// Of a list by id: the last one of the page before.
    package let after: String

    package init(_ order: Order, most: Int, text: String = "", after: String = "") {
        self.order = order
        self.most = most
        self.text = SearchText(text)
        self.after = after
    }

    func isMeant(_ id: String) -> Bool {
        (order != .id || Self.precedes(after, id)) && text.isPart(of: id)
    }

    /// By bytes, as all nodes do it.
    package static func precedes(_ one: String, _ other: String) -> Bool {
        one.utf8.lexicographicallyPrecedes(other.utf8)
    }
}

/// A connection that operators have found.
package struct FoundConnection: Sendable {
    package let person: String
    package let name: String
    package let peer: String
    package let transport: String
    /// The rooms that it is in, at most 20 of them.
    package let rooms: [String]
}

extension Relay {
    /// Connections of this shard whose user has a text in the id or in a name, or whose address begins with it. It visits
    /// every client.
    package func find(_ text: String, most: Int) -> [FoundConnection] { edge.find(text, most: most) }
}

extension Edge {
    fileprivate func find(_ text: String, most: Int) -> [FoundConnection] {
        let wanted = SearchText(text)
        var found: [FoundConnection] = []
        for client in clients.values {
            let (person, peer) = (client.person, client.session.peer.text)
            let profile = try? JSONReader(person.profile)
            let names = ["username", "firstName"].compactMap { profile?[$0]?.string }
            guard peer.hasPrefix(text) || ([person.id] + names).contains(where: wanted.isPart) else { continue }
            found.append(
                FoundConnection(
                    person: person.id, name: names.first ?? person.id, peer: peer,
                    transport: client.session.transportName,
                    rooms: client.memberships.prefix(20).map(\.room.id.text)))
            if found.count == most { break }
        }
        return found
    }
}
