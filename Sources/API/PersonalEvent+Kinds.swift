import Accounts
import Relay
import Store
import Wire

/// What a user's clients are told outside of rooms.
extension PersonalEvent {
    package static func message(_ message: Message) -> PersonalEvent {
        make("inbox:message", to: message.person) { $0.message(message) }
    }

    package static func balances(_ json: [UInt8], of wallet: Wallet, _ chain: WalletChain) -> PersonalEvent {
        make("wallet:balance", to: wallet.person) { $0.wallet(wallet, chain, json) }
    }

    /// - Parameter isNew: whether the mood was noted just now, and not changed.
    static func mood(_ mood: Mood, isNew: Bool) -> PersonalEvent {
        make(isNew ? "mood:created" : "mood:updated", to: mood.person) { $0.mood(mood) }
    }

    static func moodRemoved(_ id: String, of person: String) -> PersonalEvent { removal("mood:deleted", id, person) }

    /// - Parameter isNew: whether the profile was made just now, and not changed.
    static func profile(_ profile: AppProfile, isNew: Bool) -> PersonalEvent {
        make(isNew ? "profile:created" : "profile:updated", to: profile.person) { $0.profile(profile) }
    }

    static func profileRemoved(_ id: String, of person: String) -> PersonalEvent {
        removal("profile:deleted", id, person)
    }

    /// The user is a member of a room now.
    ///
    /// - Parameter actor: the user that added the user, or made the invitation.
    static func added(_ user: String, to room: RoomRecord, by actor: String) -> PersonalEvent {
        make("room:added", to: user) { json in
            json.beginObject()
            json.member("roomId", room.id)
            if let name = room.name { json.member("name", name) }
            json.member("addedBy", actor)
            json.endObject()
        }
    }

    private static func removal(_ name: String, _ id: String, _ person: String) -> PersonalEvent {
        make(name, to: person) { json in
            json.beginObject()
            json.member("id", id)
            json.endObject()
        }
    }

    private static func make(
        _ name: String, to person: String, _ write: (inout JSONWriter) -> Void
    ) -> PersonalEvent {
        var argument: [UInt8] = []
        JSONWriter.write(into: &argument, write)
        return PersonalEvent(name, to: person, argument)
    }
}
