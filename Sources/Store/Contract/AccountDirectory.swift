/// The accounts of users.
package protocol AccountDirectory: Sendable {
    /// The account of a token's subject. The first call makes it, with `newID`. Each call updates the e-mail address, but
    /// not that of a person of this server.
    func signIn(
        sub: String, email: String, newID: String, at now: Int64, then answer: @escaping Answer<Account>)

    func account(_ id: String, then answer: @escaping Answer<Account?>)
    /// In the order of the ids; unknown ones are left out.
    func accounts(_ ids: [String], then answer: @escaping Answer<[Account]>)

    /// Sets a user's profile. Throws `taken("username")` when another user has that name, without regard to case.
    func setProfile(
        _ profile: Profile, _ picture: ProfilePicture, of id: String, at now: Int64,
        then answer: @escaping Answer<Account>)

    /// Users with a complete profile by the beginning of their username, without regard to case, sorted by username.
    func searchAccounts(
        usernamePrefix: String, excluding id: String, _ page: PageRequest,
        then answer: @escaping Answer<Page<Account>>)

    /// Users with a complete profile who share no active room with a user, sorted by username.
    func accountsWithoutRooms(
        with id: String, _ page: PageRequest, then answer: @escaping Answer<Page<Account>>)

    /// Whether two users are members of the same active room.
    func shareRoom(_ one: String, _ other: String, then answer: @escaping Answer<Bool>)
}

package struct Account: Sendable, Equatable {
    package let id: String
    /// The subject of the user's tokens.
    package let sub: String
    package let email: String
    /// Nil until the user has set it.
    package let profile: Profile?
    package let createdAt: Int64
    package let updatedAt: Int64

    package init(
        id: String, sub: String, email: String, profile: Profile?, createdAt: Int64, updatedAt: Int64
    ) {
        self.id = id
        self.sub = sub
        self.email = email
        self.profile = profile
        self.createdAt = createdAt
        self.updatedAt = updatedAt
    }
}

/// The profile of a user.
package struct Profile: Sendable, Equatable {
    package var username: String
    package var firstName: String
    /// Seconds since 1970; before that, negative.
    package var dateOfBirth: Int64
    package var avatarURL: String?

    package init(username: String, firstName: String, dateOfBirth: Int64, avatarURL: String? = nil) {
        self.username = username
        self.firstName = firstName
        self.dateOfBirth = dateOfBirth
        self.avatarURL = avatarURL
    }
}

/// What becomes of the picture of a profile that is set.
package enum ProfilePicture: Sendable, Equatable {
    /// It stays, whatever the profile says.
    case kept
    /// It is that of the profile, with the key of its file if this server has it. The file of before may be deleted.
    case new(file: String?)
}
