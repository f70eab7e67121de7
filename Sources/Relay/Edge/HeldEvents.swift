import Sessions
import Wire

/// Events for rooms that a client is joining: a client may send events right after `room:join`, without waiting for its
/// answer.
struct HeldEvents {
    struct Item {
        let room: RoomID
        let event: ClientEvent
        let arguments: [UInt8]
        let call: SocketCall
    }

    private static let itemsMax = 1_000
    private static let bytesMax = 1 << 20

    private var items: [Item] = []
    private var byteCount = 0

    var count: Int { items.count }

    /// Returns false when too many events wait already.
    mutating func append(_ item: Item) -> Bool {
        if item.event == .touchMove, item.call.ackID == nil, let last = items.last, last.room == item.room,
            last.event == .touchMove, last.call.ackID == nil
        {
            // Only the newest position of a moment counts.
            byteCount += item.arguments.count - last.arguments.count
            items[items.count - 1] = item
            return true
        }
        let size = item.arguments.count + item.call.attachments.reduce(0) { $0 + $1.count }
        guard items.count < Self.itemsMax, byteCount + size <= Self.bytesMax else { return false }
        items.append(item)
        byteCount += size
        return true
    }

    mutating func takeAll() -> [Item] {
        let all = items
        self = HeldEvents()
        return all
    }
}
