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
        /// Whether the room's home got all of it from a member. It need not get the end once more.
        fileprivate(set) var isSent = false

        var isOver: Bool { isSent && end != nil }
    }

    private var touches: [ConnectionID: Touch] = [:]

    var isEmpty: Bool { touches.isEmpty }

    subscript(_ connection: ConnectionID) -> Touch? { touches[connection] }

    /// Keeps the newest position of each connection in a parcel.
    ///
    /// - Parameter members: those of whom the room's home gets the parcel.
    mutating func note(
        _ parcel: TouchParcel, sentOf members: Set<ConnectionID> = [],
        where isMeant: (ConnectionID) -> Bool = { _ in true }
    ) {
        parcel.each { connection, slot, x, y, elementID in
            guard isMeant(connection) else { return }
            var newest = TouchParcel(parcel.roomID)
            newest.append(of: connection, slot: slot, x: x, y: y, elementID: elementID)
            touches[connection] = Touch(position: newest, isSent: members.contains(connection))
        }
    }

    mutating func noteSent(of connection: ConnectionID) { touches[connection]?.isSent = true }

    /// - Parameter isSent: whether the room's home gets it from a member.
    mutating func end(_ connection: ConnectionID, _ number: UInt64, isSent: Bool = false) {
        touches[connection]?.end = number
        if !isSent { touches[connection]?.isSent = false }
    }

    /// The connection leaves the room, which ends its touch. If it enters the next home, that gets what the home that is lost
    /// has not stored.
    mutating func leave(_ connection: ConnectionID, _ number: UInt64) {
        if touches[connection]?.end == nil { touches[connection]?.end = number }
    }

    /// The store has this end of a touch. The connection may have begun another touch meanwhile.
    mutating func forgetEnd(_ number: UInt64, of connection: ConnectionID) {
        if touches[connection]?.end == number { touches[connection] = nil }
    }

    mutating func remove(_ connection: ConnectionID) { touches[connection] = nil }

    mutating func take(_ connection: ConnectionID) -> Touch? { touches.removeValue(forKey: connection) }

    /// Adds a touch unless there is a newer one.
    mutating func add(_ touch: Touch, of connection: ConnectionID) {
        guard touches[connection] == nil else { return }
        touches[connection] = touch
        touches[connection]?.isSent = false
    }

    /// Takes over what other touches do not replace, of the connections of one node.
    mutating func merge(olderThanThese older: KeptTouches, ofNode node: Int) {
        for (connection, touch) in older.touches where connection.node == node && touches[connection] == nil {
            touches[connection] = touch
        }
    }
}
