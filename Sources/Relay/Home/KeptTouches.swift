import Rooms

/// The newest touches of members whose room has another home next, or may have.
///
/// What a member has moved, and the home that is lost has not told, goes to the next home.
struct KeptTouches {
    /// A position, and whether the member has ended the touch.
    struct Touch {
        fileprivate(set) var position: TouchParcel
        fileprivate(set) var isEnded = false
    }

    private var touches: [ConnectionID: Touch] = [:]

    var isEmpty: Bool { touches.isEmpty }

    subscript(_ connection: ConnectionID) -> Touch? { touches[connection] }

    /// Keeps the newest position of each connection in a parcel.
    mutating func note(_ parcel: TouchParcel, where isMeant: (ConnectionID) -> Bool = { _ in true }) {
        parcel.each { connection, slot, x, y, elementID in
            guard isMeant(connection) else { return }
            var newest = TouchParcel(parcel.roomID)
            newest.append(of: connection, slot: slot, x: x, y: y, elementID: elementID)
            touches[connection] = Touch(position: newest)
        }
    }

    mutating func end(_ connection: ConnectionID) { touches[connection]?.isEnded = true }

    mutating func remove(_ connection: ConnectionID) { touches[connection] = nil }

    mutating func take(_ connection: ConnectionID) -> Touch? { touches.removeValue(forKey: connection) }

    /// Adds a touch unless there is a newer one.
    mutating func add(_ touch: Touch, of connection: ConnectionID) {
        if touches[connection] == nil { touches[connection] = touch }
    }

    mutating func removeEnded(where isTold: (ConnectionID) -> Bool) {
        for (connection, touch) in touches where touch.isEnded && isTold(connection) { touches[connection] = nil }
    }

    /// Takes over what other touches do not replace, of the connections of one node.
    mutating func merge(olderThanThese older: KeptTouches, ofNode node: Int) {
        for (connection, touch) in older.touches where connection.node == node && touches[connection] == nil {
            touches[connection] = touch
        }
    }
}
