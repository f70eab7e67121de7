/// A room's name, byte for byte. Strings of Swift are equal when Unicode holds them for the same letters; those who
/// write to a room have to find it by the bytes that they send.
struct RoomID: Hashable, Sendable {
    let text: String

    init(_ text: String) {
        self.text = text
    }

    static func == (one: RoomID, other: RoomID) -> Bool {
        one.text.utf8.elementsEqual(other.text.utf8)
    }

    func hash(into hasher: inout Hasher) {
        for byte in text.utf8 { hasher.combine(byte) }
    }
}
