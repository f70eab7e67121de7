import Rooms
import Wire

/// Touches of one room, from members on one shard, for the room's home.
///
/// They are gathered until the home is about to make its tick (`TouchTiming`): each message wakes a thread.
package struct TouchParcel: Sendable {
    private struct Item: Sendable {
        let connection: ConnectionID
        let slot: Int
        /// The ends of `x`, `y` and the element's id in `bytes`.
        let ends: (x: Int, y: Int, elementID: Int)
    }

    package let roomID: RoomID
    /// `x`, `y` and the element's id of each touch, one after another, each as JSON.
    private var bytes: [UInt8] = []
    private var items: [Item] = []

    init(_ roomID: RoomID) {
        self.roomID = roomID
    }

    init(_ roomID: RoomID, _ touch: TouchPosition) {
        self.init(roomID)
        append(
            of: touch.mover, slot: touch.slot, x: touch.x.span, y: touch.y.span, elementID: touch.elementID.span)
    }

    var isEmpty: Bool { items.isEmpty }
    var count: Int { items.count }
    /// Whether it is of connections of this node. All connections of a parcel are of one.
    func isOf(node: Int) -> Bool { items.first?.connection.node == node }

    mutating func append(
        of connection: ConnectionID, slot: Int, x: Span<UInt8>, y: Span<UInt8>, elementID: Span<UInt8>
    ) {
        append(x)
        let xEnd = bytes.count
        append(y)
        let yEnd = bytes.count
        append(elementID)
        items.append(Item(connection: connection, slot: slot, ends: (xEnd, yEnd, bytes.count)))
    }

    /// Appends `x`, `y` and the element's id as another node has sent them.
    mutating func append(
        of connection: ConnectionID, slot: Int, from record: inout RecordReader
    ) throws(RecordFault) {
        try record.blob(appendedTo: &bytes)
        let xEnd = bytes.count
        try record.blob(appendedTo: &bytes)
        let yEnd = bytes.count
        try record.blob(appendedTo: &bytes)
        items.append(Item(connection: connection, slot: slot, ends: (xEnd, yEnd, bytes.count)))
    }

    private mutating func append(_ span: Span<UInt8>) {
        span.withUnsafeBufferPointer { bytes.append(contentsOf: $0) }
    }

    /// The gathered touches. Gathering begins anew.
    mutating func take() -> TouchParcel {
        defer { self = TouchParcel(roomID) }
        return self
    }

    /// The touches that a newer parcel does not replace: the last position of each participant who is not in the newer
    /// one.
    func newest(before newer: TouchParcel) -> TouchParcel {
        var named = Set(newer.items.map(\.connection))
        var kept = Set<Int>()
        for (index, item) in items.enumerated().reversed() where named.insert(item.connection).inserted {
            kept.insert(index)
        }
        var (result, index) = (TouchParcel(roomID), 0)
        each { connection, slot, x, y, elementID in
            if kept.contains(index) { result.append(of: connection, slot: slot, x: x, y: y, elementID: elementID) }
            index += 1
        }
        return result
    }

    mutating func append(_ other: TouchParcel) {
        other.each { append(of: $0, slot: $1, x: $2, y: $3, elementID: $4) }
    }

    /// Applies the touches of the participants who are still in the room.
    func deliver(to room: inout Room) {
        each { try? room.moveTouch(of: $0, slot: $1, x: $2, y: $3, elementID: $4) }
    }

    func each(_ body: (ConnectionID, Int, Span<UInt8>, Span<UInt8>, Span<UInt8>) -> Void) {
        let span = bytes.span
        var start = 0
        for item in items {
            body(
                item.connection, item.slot, span.extracting(start..<item.ends.x),
                span.extracting(item.ends.x..<item.ends.y), span.extracting(item.ends.y..<item.ends.elementID))
            start = item.ends.elementID
        }
    }
}
