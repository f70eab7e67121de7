/// The people who have an account.
package protocol AccountDirectory: Sendable {
    /// The account of a token's subject. At the first call it is made, with `newID`; the address of mail is brought up to
    /// date.
    func signIn(
        sub: String, email: String, newID: String, at now: Int64, then answer: @escaping Answer<Account>)

    func account(_ id: String, then answer: @escaping Answer<Account?>)
    /// In the order of the ids; unknown ones are left out.
    func accounts(_ ids: [String], then answer: @escaping Answer<[Account]>)

    /// Sets what a person tells of themselves. Throws `taken("username")` when somebody else has that name, whatever the
    /// case of its letters.
    func setProfile(
        _ profile: Profile, of id: String, at now: Int64, then answer: @escaping Answer<Account>)

    /// People with a complete profile whose username begins so, whatever the case, by username.
    func searchAccounts(
        usernamePrefix: String, excluding id: String, _ page: PageRequest,
        then answer: @escaping Answer<Page<Account>>)

    /// People with a complete profile with whom someone shares no active room, by username.
    func accountsWithoutRooms(
        with id: String, _ page: PageRequest, then answer: @escaping Answer<Page<Account>>)

    /// Whether two people are members of one active room.
    func shareRoom(_ one: String, _ other: String, then answer: @escaping Answer<Bool>)
}

package struct Account: Sendable, Equatable {
    package let id: String
    /// The subject of the person's tokens.
    package let sub: String
    package let email: String
    /// Nil until the person has told.
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

/// What a person tells of themselves.
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
