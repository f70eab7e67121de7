/// The rooms of users, and their members.
package protocol RoomCatalog: Sendable {
    /// Makes a room; its other members are notified. With a key that this user has used for the same request before,
    /// the answer is the earlier room.
    func createRoom(_ room: NewRoom, then answer: @escaping Answer<CreatedRoom>)

    func room(_ id: String, then answer: @escaping Answer<RoomRecord?>)
    /// A user's relation to a room.
    func standing(of account: String, in room: String, then answer: @escaping Answer<RoomStanding>)
    /// The ids of the current members.
    func memberIDs(of room: String, then answer: @escaping Answer<[String]>)

    /// The rooms of a member, including closed ones, newest activity first.
    func rooms(of account: String, _ page: PageRequest, then answer: @escaping Answer<Page<RoomSummary>>)
    /// The users who share active rooms with a user, by username, each with these rooms, newest activity first.
    func roomsByPerson(
        of account: String, _ page: PageRequest, then answer: @escaping Answer<Page<PersonWithRooms>>)

    /// Adds a member, or a former member again. Doing so twice is the same as once.
    func addMember(
        _ account: String, to room: String, at now: Int64, then answer: @escaping Answer<RoomRecord>)
    /// Throws `notFound("member")` for a user who is not a member.
    func removeMember(
        _ account: String, from room: String, at now: Int64, then answer: @escaping Answer<RoomRecord>)
    /// The other members are notified.
    func renameRoom(
        _ id: String, to name: String, by account: String, at now: Int64, then answer: @escaping Answer<RoomRecord>)
    /// A closed room stays, and stays closed.
    func closeRoom(_ id: String, at now: Int64, then answer: @escaping Answer<RoomRecord>)

    /// The answer to an earlier request with this key; nil for a new key. Throws `conflict` when the key was used for
    /// another request.
    func answer(to key: IdempotencyKey, of account: String, at now: Int64, then answer: @escaping Answer<String?>)
    /// Keeps an answer for a day. The first answer stays.
    func keep(
        _ text: String, as key: IdempotencyKey, of account: String, at now: Int64, then answer: @escaping Answer<Void>)
}

/// Identifies the retries of a request.
package struct IdempotencyKey: Sendable, Equatable {
    package let key: String
    /// Identifies the content of the request: a retry must have the same.
    package let fingerprint: String

    package init(key: String, fingerprint: String) {
        self.key = key
        self.fingerprint = fingerprint
    }
}

package struct NewRoom: Sendable, Equatable {
    package var id: String
    package var name: String?
    package var creator: String
    /// The first members, besides the creator.
    package var members: [String]
    package var at: Int64
    package var idempotency: IdempotencyKey?

    package init(
        id: String, name: String? = nil, creator: String, members: [String], at: Int64,
        idempotency: IdempotencyKey? = nil
    ) {
        self.id = id
        self.name = name
        self.creator = creator
        self.members = members
        self.at = at
        self.idempotency = idempotency
    }
}

package struct CreatedRoom: Sendable, Equatable {
    package let room: RoomRecord
    /// False when an earlier request with the same key has made it.
    package let isNew: Bool
}

package struct RoomRecord: Sendable, Equatable {
    package let id: String
    package let name: String?
    /// Nil for a room that was made by a join.
    package let creator: Account?
    package let createdAt: Int64
    /// The newest change of the room or its elements.
    package let updatedAt: Int64
    package let isActive: Bool
    package let elementCount: Int
    /// All members, including former ones, in the order in which they first joined.
    package let members: [Membership]
}

package struct Membership: Sendable, Equatable {
    package let account: Account
    package let joinedAt: Int64
    package let leftAt: Int64?
    /// How many members there were before. It selects the user's colour.
    package let place: Int
}

package struct RoomSummary: Sendable, Equatable {
    package let id: String
    package let name: String?
    package let createdBy: String?
    package let createdAt: Int64
    package let updatedAt: Int64
    package let isActive: Bool
    package let elementCount: Int

    package init(
        id: String, name: String?, createdBy: String?, createdAt: Int64, updatedAt: Int64, isActive: Bool,
        elementCount: Int
    ) {
        self.id = id
        self.name = name
        self.createdBy = createdBy
        self.createdAt = createdAt
        self.updatedAt = updatedAt
        self.isActive = isActive
        self.elementCount = elementCount
    }
}

package struct PersonWithRooms: Sendable, Equatable {
    package let account: Account
    package let rooms: [RoomSummary]
}

/// A user's relation to a room.
package struct RoomStanding: Sendable, Equatable {
    package enum Part: Sendable, Equatable {
        case stranger, formerMember, member, creator
    }

    /// A creator who has left is a former member.
    package let part: Part
    package let doesExist: Bool
    package let isActive: Bool
}
