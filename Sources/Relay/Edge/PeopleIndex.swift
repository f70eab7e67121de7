import Wire

/// The connections of each user on one shard, by numbers.
package struct PeopleIndex {
    private var connections: [ExactText: Set<UInt64>] = [:]

    package init() {}

    package subscript(_ person: String) -> Set<UInt64> { connections[ExactText(person)] ?? [] }

    package mutating func add(_ connection: UInt64, of person: String) {
        connections[ExactText(person), default: []].insert(connection)
    }

    package mutating func remove(_ connection: UInt64, of person: String) {
        let key = ExactText(person)
        connections[key]?.remove(connection)
        if connections[key]?.isEmpty == true { connections[key] = nil }
    }
}
