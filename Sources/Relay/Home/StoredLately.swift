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
        let entry: JournalEntry
        let storedAt: Int64

        /// With the element that it changes.
        var byteCount: Int { 2 * entry.json.count + 256 }
    }

    private var items = Fifo<Item>()
    private(set) var byteCount = 0

    mutating func add(_ entries: [JournalEntry], of room: RoomID, at now: Int64) {
        for entry in entries {
            let item = Item(room: room, entry: entry, storedAt: now)
            items.append(item)
            byteCount += item.byteCount
        }
        while let oldest = items.oldest, oldest.storedAt + Self.milliseconds <= now || byteCount > Self.bytesMax {
            byteCount -= oldest.byteCount
            _ = items.takeFirst()
        }
    }

    var rooms: Set<RoomID> { Set(items.all.map(\.room)) }

    /// The entries of a room after one, in their order. Of two with one number, the later is the one that counts.
    func entries(of room: RoomID, after seq: UInt64) -> [JournalEntry] {
        var entries: [UInt64: JournalEntry] = [:]
        for item in items.all where item.room == room && item.entry.seq > seq { entries[item.entry.seq] = item.entry }
        return entries.values.sorted { $0.seq < $1.seq }
    }
}
