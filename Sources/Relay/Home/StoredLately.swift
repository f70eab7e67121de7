import Store

/// The entries that the store has confirmed lately, of the rooms of one shard.
///
/// A database can lose what it has confirmed: in a failover to a standby that had not got it yet. The home of a room then has what
/// is lost, and stores it again.
struct StoredLately {
    static let milliseconds: Int64 = 60_000
    static let bytesMax = 16 << 20

    private struct Item {
        let room: RoomID
        let byteCount: Int
        let storedAt: Int64
    }

    /// The oldest first, as the entries of each room.
    private var items = Fifo<Item>()
    private var entries: [RoomID: Fifo<JournalEntry>] = [:]
    private(set) var byteCount = 0

    mutating func add(_ stored: [JournalEntry], of room: RoomID, at now: Int64) {
        for entry in stored {
            // With the element that it changes.
            let item = Item(room: room, byteCount: 2 * entry.json.count + 256, storedAt: now)
            items.append(item)
            entries[room, default: Fifo()].append(entry)
            byteCount += item.byteCount
        }
        while let oldest = items.oldest, oldest.storedAt + Self.milliseconds <= now || byteCount > Self.bytesMax {
            byteCount -= oldest.byteCount
            _ = items.takeFirst()
            _ = entries[oldest.room]?.takeFirst()
            if entries[oldest.room]?.isEmpty == true { entries[oldest.room] = nil }
        }
    }

    var rooms: Set<RoomID> { Set(entries.keys) }

    /// The entries of a room after one, in their order. Of two with one number, the later is the one that counts.
    func entries(of room: RoomID, after seq: UInt64) -> [JournalEntry] {
        guard let kept = entries[room] else { return [] }
        let found = kept.all.filter { $0.seq > seq }.map { ($0.seq, $0) }
        return Dictionary(found) { $1 }.values.sorted { $0.seq < $1.seq }
    }
}
