import Store

/// What a notification says.
enum PushText {
    /// Enough of an address of a wallet to know it again.
    static func short(_ address: String) -> String { "\(address.prefix(6))…\(address.suffix(4))" }

    static func title(roomName: String?) -> String { roomName ?? "Rooms" }

    static func text(_ kind: PushKind, by name: String?) -> String {
        let somebody = name ?? "Somebody"
        switch kind {
        case .moodChanged, .profileChanged: return ""
        case .balanceChanged: return "The balance of \(name ?? "a wallet") has changed"
        case .messageReceived: return name.map { "\($0) has sent you a message" } ?? "You have a new message"
        case .roomCreated: return "\(somebody) has made a room with you"
        case .roomRenamed: return "\(somebody) has given the room another name"
        case .elementAdded: return "\(somebody) has added something"
        }
    }
}
