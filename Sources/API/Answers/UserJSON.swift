import Store
import Wire

/// How much of a user another user may see.
enum Sight: Sendable {
    /// For the user itself, and for users who share a room with it.
    case near
    /// For all other users: without the e-mail address. The member is present and empty, because clients expect it.
    case far
}

extension JSONWriter {
    /// A user. Without a profile the names are empty; only the user itself can get that.
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
