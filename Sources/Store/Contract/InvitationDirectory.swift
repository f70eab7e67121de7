/// Links that let users into rooms: each for some time and some users.
package protocol InvitationDirectory: Sendable {
    /// Makes an invitation to an open room. Throws `conflict` when the room has as many as it may have.
    ///
    /// - Parameter hash: of the secret, which is not stored.
    func addInvitation(_ invitation: Invitation, hash: String, then answer: @escaping Answer<Void>)
    /// Those that can still be accepted, the oldest first.
    func invitations(to room: String, at now: Int64, then answer: @escaping Answer<[Invitation]>)
    /// Answers whether there was one.
    func removeInvitation(_ id: String, to room: String, then answer: @escaping Answer<Bool>)

    /// Makes a user a member of the room. A user that is a member already causes no use.
    ///
    /// Throws `notFound("invitation")` when it has ended, its maker is no member any more, or the user was a member later
    /// than it was made: a removed user cannot return by an old link.
    ///
    /// - Parameter members: how many members the room may have, and how many with former members.
    func acceptInvitation(
        hash: String, by account: String, members: (now: Int, ever: Int), at now: Int64,
        then answer: @escaping Answer<AcceptedInvitation>)
}

package struct Invitation: Sendable, Equatable {
    package let id: String
    package let room: String
    package let maker: String
    package let createdAt: Int64
    package let endsAt: Int64
    package let usesMax: Int
    package let uses: Int

    package init(
        id: String, room: String, maker: String, createdAt: Int64, endsAt: Int64, usesMax: Int, uses: Int = 0
    ) {
        self.id = id
        self.room = room
        self.maker = maker
        self.createdAt = createdAt
        self.endsAt = endsAt
        self.usesMax = usesMax
        self.uses = uses
    }
}

package struct AcceptedInvitation: Sendable, Equatable {
    package let room: RoomRecord
    package let maker: String
    /// False for a user who was a member already.
    package let isNew: Bool
}
