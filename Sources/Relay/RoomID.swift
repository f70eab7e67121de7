import Wire

/// A room's id, compared byte for byte. Strings of Swift are equal when Unicode treats them as the same text. A client
/// has to find a room by the bytes that it sends.
package struct RoomID: Hashable, Sendable {
    package let text: String

    package init(_ text: String) {
        self.text = text
    }

    /// The home shard of the room, out of so many. All shards and nodes compute the same.
    package func homeShard(of shardCount: Int) -> Int {
        // FNV-1a.
        var hash: UInt64 = 0xcbf2_9ce4_8422_2325
        for byte in text.utf8 { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01b3 }
        return Int((hash ^ hash >> 32) % UInt64(shardCount))
    }

    package static func == (one: RoomID, other: RoomID) -> Bool {
        one.text.isExactly(other.text)
    }

    package func hash(into hasher: inout Hasher) {
        for byte in text.utf8 { hasher.combine(byte) }
    }
}
