/// The rooms that people have, and who is in them.
package protocol RoomCatalog: Sendable {
    /// Makes a room, of which the other members are notified. With a key that this person has used for the same demand
    /// before, the room of then is answered.
    func createRoom(_ room: NewRoom, then answer: @escaping Answer<CreatedRoom>)

    func room(_ id: String, then answer: @escaping Answer<RoomRecord?>)
    /// What somebody is to a room.
    func standing(of account: String, in room: String, then answer: @escaping Answer<RoomStanding>)
    /// The ids of those who are members now.
    func memberIDs(of room: String, then answer: @escaping Answer<[String]>)

    /// The rooms that somebody is a member of, also closed ones, newest activity first.
    func rooms(of account: String, _ page: PageRequest, then answer: @escaping Answer<Page<RoomSummary>>)
    /// The people with whom somebody shares active rooms, by username, each with those rooms, newest activity first.
    func roomsByPerson(
        of account: String, _ page: PageRequest, then answer: @escaping Answer<Page<PersonWithRooms>>)

    /// Makes somebody a member, again if they had left. Doing so twice is the same as once.
    func addMember(
        _ account: String, to room: String, at now: Int64, then answer: @escaping Answer<RoomRecord>)
    /// Throws `notFound("member")` for those who are none.
    func removeMember(
        _ account: String, from room: String, at now: Int64, then answer: @escaping Answer<RoomRecord>)
    /// The other members are notified.
    func renameRoom(
        _ id: String, to name: String, by account: String, at now: Int64, then answer: @escaping Answer<RoomRecord>)
    /// A closed room stays, and stays closed.
    func closeRoom(_ id: String, at now: Int64, then answer: @escaping Answer<RoomRecord>)

    /// What a demand under this key was answered; nil for a new one. Throws `conflict` when the key was used for another.
    func answer(to key: IdempotencyKey, of account: String, at now: Int64, then answer: @escaping Answer<String?>)
    /// Keeps an answer for a day. The first one stays.
    func keep(
        _ text: String, as key: IdempotencyKey, of account: String, at now: Int64, then answer: @escaping Answer<Void>)
}

/// Marks the retries of a demand.
package struct IdempotencyKey: Sendable, Equatable {
    package let key: String
    /// Says what was asked for: a retry must ask for the same.
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
    /// Those who are in it from the beginning, besides the creator.
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
    /// False when the same demand has made it before.
    package let isNew: Bool
}

package struct RoomRecord: Sendable, Equatable {
    package let id: String
    package let name: String?
    /// Nil for a room that came to be when somebody joined it.
    package let creator: Account?
    package let createdAt: Int64
    /// The newest change of the room or its elements.
    package let updatedAt: Int64
    package let isActive: Bool
    package let elementCount: Int
    /// Also those who have left, in the order in which they first came.
    package let members: [Membership]
}

package struct Membership: Sendable, Equatable {
    package let account: Account
    package let joinedAt: Int64
    package let leftAt: Int64?
    /// How many were in the room before: gives the person's colour.
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
}

package struct PersonWithRooms: Sendable, Equatable {
    package let account: Account
    package let rooms: [RoomSummary]
}

/// What somebody is to a room.
package struct RoomStanding: Sendable, Equatable {
    package enum Part: Sendable, Equatable {
        case stranger, formerMember, member, creator
    }

    /// A creator who has left is a former member.
    package let part: Part
    package let doesExist: Bool
    package let isActive: Bool
}
