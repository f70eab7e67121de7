import Rooms

/// The newest touches of members whose room has another home next, or may have.
///
/// What a member has moved and the home that is lost has not told, and the ends that it has not stored, go to the next
/// home.
struct KeptTouches {
    /// A position, and the number of its end, if the member has ended the touch.
    struct Touch {
        fileprivate(set) var position: TouchParcel
        fileprivate(set) var end: UInt64?
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

    mutating func end(_ connection: ConnectionID, _ number: UInt64) { touches[connection]?.end = number }

    /// The store has this end of a touch. The connection may have begun another touch meanwhile.
    mutating func forgetEnd(_ number: UInt64, of connection: ConnectionID) {
        if touches[connection]?.end == number { touches[connection] = nil }
    }

    mutating func remove(_ connection: ConnectionID) { touches[connection] = nil }

    mutating func take(_ connection: ConnectionID) -> Touch? { touches.removeValue(forKey: connection) }

    /// Adds a touch unless there is a newer one.
    mutating func add(_ touch: Touch, of connection: ConnectionID) {
        if touches[connection] == nil { touches[connection] = touch }
    }

    /// Takes over what other touches do not replace, of the connections of one node.
    mutating func merge(olderThanThese older: KeptTouches, ofNode node: Int) {
        for (connection, touch) in older.touches where connection.node == node && touches[connection] == nil {
            touches[connection] = touch
        }
    }
}
