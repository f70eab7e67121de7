import Wire

/// The connections of each user on one shard, by numbers.
package struct PeopleIndex {
    /// Nearly everybody has one connection, which takes no memory of its own here.
    private enum Connections {
        case one(UInt64)
        case several(Set<UInt64>)

        var all: Set<UInt64> {
            switch self {
            case .one(let connection): [connection]
            case .several(let connections): connections
            }
        }

        mutating func insert(_ connection: UInt64) {
            var connections = all
            // This one keeps no second reference to the set, which would be copied.
            self = .one(connection)
            connections.insert(connection)
            if connections.count > 1 { self = .several(connections) }
        }

        mutating func remove(_ connection: UInt64) {
            var connections = all
            self = .one(connection)
            connections.remove(connection)
            self = .several(connections)
        }
    }

    private var connections: [ExactText: Connections] = [:]

    package init() {}

    package subscript(_ person: String) -> Set<UInt64> { connections[ExactText(person)]?.all ?? [] }

    package mutating func add(_ connection: UInt64, of person: String) {
        connections[ExactText(person), default: .one(connection)].insert(connection)
    }

    package mutating func remove(_ connection: UInt64, of person: String) {
        let key = ExactText(person)
        connections[key]?.remove(connection)
        if connections[key]?.all.isEmpty == true { connections[key] = nil }
    }
}
