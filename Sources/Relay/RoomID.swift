import Wire

/// A room's name, byte for byte. Strings of Swift are equal when Unicode holds them for the same letters; those who
/// write to a room have to find it by the bytes that they send.
package struct RoomID: Hashable, Sendable {
    package let text: String

    package init(_ text: String) {
        self.text = text
    }

    /// The shard, of so many, that orders the room's events: the same as seen from every shard, and every node.
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
