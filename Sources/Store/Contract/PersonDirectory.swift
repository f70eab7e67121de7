/// The people with an account of this server. Each also has an `Account` under the same id, with which it joins rooms.
package protocol PersonDirectory: Sendable {
    /// Throws `taken("email")` when another person has the address, without regard to case.
    func addPerson(_ person: NewPerson, then answer: @escaping Answer<AccountHolder>)

    func person(_ id: String, then answer: @escaping Answer<AccountHolder?>)
    /// The person with an e-mail address, without regard to case, and the hash of the password.
    func credentials(email: String, then answer: @escaping Answer<Credentials?>)

    /// The person with a credential. The first call adds `new`, with one exception: if a credential of another provider vouches
    /// for the same address, that address is still its person's verified one, and the person has no credential of this provider,
    /// the credential is added to that person. Throws `taken("email")` when another person has the address of `new`. An address
    /// that was shown by a code alone joins nobody.
    func person(with credential: Credential, orNew new: NewPerson, then answer: @escaping Answer<AccountHolder>)
    func credentials(of id: String, then answer: @escaping Answer<[Credential]>)
    /// A number of the person, which stays the same, for applications whose ids are numbers. Throws `notFound`.
    func number(of id: String, then answer: @escaping Answer<Int64>)

    /// Everybody, in the order of their arrival.
    func people(_ part: PartRequest, then answer: @escaping Answer<ListPart<AccountHolder>>)

    /// Changes what is not nil. A changed address is no longer verified. Throws `notFound`, `taken("email")`, or `conflict` when
    /// the person no longer has the old address.
    func changePerson(
        _ id: String, name: String?, email: AddressChange?, at now: Int64, then answer: @escaping Answer<AccountHolder>)

    /// Gives a person an address that it has shown to be its own. Throws `notFound`, or `taken("email")`.
    func setEmail(_ email: String, of id: String, at now: Int64, then answer: @escaping Answer<AccountHolder>)

    /// Sets the hash of a new password instead of the old one, and ends all sessions of the person but one. Answers the ids of
    /// those that it ended. Throws `notFound`, also when the old hash is another by now.
    func changePassword(
        _ hash: String, of id: String, insteadOf old: String, keeping session: String, at now: Int64,
        then answer: @escaping Answer<[String]>)

    /// Sets the hash of a new password of a person who has shown that an address is its own, and ends all sessions. The
    /// devices do not get notifications any more. If nobody had shown that before, the other credentials, passkeys and wallets go, too: they may be
    /// those of somebody else. Answers the ids of the sessions. Throws `notFound`, also when the person does not have the
    /// address any more.
    func resetPassword(
        _ hash: String, of id: String, showing email: String, at now: Int64, then answer: @escaping Answer<[String]>)

    /// Replaces the hash of a password, if it is still the old one.
    func setPassword(_ hash: String, of id: String, insteadOf old: String?, then answer: @escaping Answer<Void>)

    /// Removes a person with its sessions, messages, devices and preferences. The rooms keep what others see there; the
    /// account that they refer to loses its name and address, and is marked: nothing more is written for it. Throws `notFound`.
    func removePerson(_ id: String, at now: Int64, then answer: @escaping Answer<EndedPerson>)

    /// Notes that the journals of rooms still tell of a person whose account has ended: the sweep shortens them. `removePerson`
    /// notes it, too; the person may have been coming into a room meanwhile.
    func forgetJoins(of id: String, then answer: @escaping Answer<Void>)
}

/// The open rooms and the ended sessions of a person that was removed.
package struct EndedPerson: Sendable, Equatable {
    /// The ids of the open rooms of which the person was a member.
    package let rooms: [String]
    /// The ids of the sessions, all of which have ended.
    package let sessions: [String]
}

package struct AccountHolder: Sendable, Equatable {
    package enum Role: String, Sendable {
        case user, admin
    }

    package let id: String
    package let name: String
    /// Empty for a person who signs in without one.
    package let email: String
    /// Nil until the person has shown that the address is its own.
    package let emailVerifiedAt: Int64?
    package let role: Role
    package let createdAt: Int64
    package let updatedAt: Int64

    package init(
        id: String, name: String, email: String, emailVerifiedAt: Int64? = nil, role: Role = .user, createdAt: Int64,
        updatedAt: Int64
    ) {
        self.id = id
        self.name = name
        self.email = email
        self.emailVerifiedAt = emailVerifiedAt
        self.role = role
        self.createdAt = createdAt
        self.updatedAt = updatedAt
    }
}

package struct NewPerson: Sendable {
    package let id: String
    package let name: String
    /// Empty for a person who signs in without one.
    package let email: String
    /// Nil for an address that the person has not shown to be its own.
    package let emailVerifiedAt: Int64?
    package let role: AccountHolder.Role
    /// The hash of the password; nil for a person who cannot sign in with one.
    package let passwordHash: String?
    package let at: Int64

    package init(
        id: String, name: String, email: String, emailVerifiedAt: Int64? = nil, role: AccountHolder.Role = .user,
        passwordHash: String?, at: Int64
    ) {
        self.id = id
        self.name = name
        self.email = email
        self.emailVerifiedAt = emailVerifiedAt
        self.role = role
        self.passwordHash = passwordHash
        self.at = at
    }
}

/// What a person signs in with, besides a password.
package struct Credential: Sendable, Equatable {
    package enum Kind: String, Sendable {
        case phone, google, apple
    }

    package let kind: Kind
    /// A telephone number in the form of E.164, or the name that the provider has for the person.
    package let subject: String
    /// The address that the provider has vouched for at the first sign-in; nil for none.
    package let email: String?

    package init(_ kind: Kind, _ subject: String, email: String? = nil) {
        self.kind = kind
        self.subject = subject
        self.email = email
    }
}

package struct Credentials: Sendable, Equatable {
    package let person: AccountHolder
    package let passwordHash: String?
}

/// A part of a list by position, for clients that count items instead of following a cursor.
package struct PartRequest: Sendable {
    /// Bounded by `StoreLimits.pageItemsMax`.
    package let limit: Int
    /// How many items come before the part.
    package let offset: Int

    package init(limit: Int, offset: Int) {
        self.limit = limit
        self.offset = offset
    }
}

package struct ListPart<Item: Sendable>: Sendable {
    package let items: [Item]
    /// The length of the whole list.
    package let total: Int
}

/// The change of an e-mail address.
package struct AddressChange: Sendable, Equatable {
    package let old: String
    package let new: String

    package init(from old: String, to new: String) {
        self.old = old
        self.new = new
    }
}
