import Store
import Wire

/// How much of a person somebody may see.
enum Sight: Sendable {
    /// Oneself, and those with whom one is in a room.
    case near
    /// Everybody else: without the address of mail. The member is there, since clients expect one, and empty.
    case far
}

extension JSONWriter {
    /// A person. Who has not told yet who they are has an empty name; only the person can meet that.
    mutating func user(_ account: Account, _ sight: Sight) {
        beginObject()
        userMembers(account, sight)
        endObject()
    }

    private mutating func userMembers(_ account: Account, _ sight: Sight) {
        member("id", account.id)
        member("auth0Id", account.sub)
        member("email", sight == .near ? account.email : "")
        member("username", account.profile?.username ?? "")
        member("firstName", account.profile?.firstName ?? "")
        member("dateOfBirth", UTCTime.text(account.profile?.dateOfBirth ?? 0))
        if let avatar = account.profile?.avatarURL { member("avatarUrl", avatar) }
        member("createdAt", UTCTime.text(account.createdAt))
    }

    mutating func person(_ person: PersonWithRooms) {
        beginObject()
        member("id", person.account.id)
        member("username", person.account.profile?.username ?? "")
        member("firstName", person.account.profile?.firstName ?? "")
        member("email", person.account.email)
        if let avatar = person.account.profile?.avatarURL { member("avatarUrl", avatar) }
        key("rooms")
        beginArray()
        for room in person.rooms { summary(room) }
        endArray()
        endObject()
    }
}
