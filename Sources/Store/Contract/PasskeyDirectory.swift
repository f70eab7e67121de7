/// The passkeys that people sign in with.
package protocol PasskeyDirectory: Sendable {
    /// Makes a person with a passkey. Throws `taken("passkey")` when a person has it.
    func addPerson(_ person: NewPerson, with passkey: Passkey, then answer: @escaping Answer<AccountHolder>)
    /// Gives the passkey's person one more, if what it has shown is still so. Throws `notFound("user")` otherwise,
    /// `taken("passkey")` when a person has it, or `conflict` past `StoreLimits.passkeysMax` of a person.
    func addPasskey(_ passkey: Passkey, showing proof: PersonProof, then answer: @escaping Answer<Void>)
    func passkey(_ id: String, then answer: @escaping Answer<KnownPasskey?>)
    /// In the order in which they were made.
    func passkeys(of person: String, then answer: @escaping Answer<[Passkey]>)
    /// Takes down a use of a passkey, and how many signatures its authenticator has made. Answers whether these are more than
    /// before. An authenticator that does not count says 0 each time.
    func usePasskey(_ id: String, signatures: Int64, at now: Int64, then answer: @escaping Answer<Bool>)
    /// Answers whether the person had it. Throws `conflict` when the person could not sign in without it.
    func removePasskey(_ id: String, of person: String, then answer: @escaping Answer<Bool>)
}

/// With what a sender has shown to be the person.
package struct PersonProof: Sendable, Equatable {
    /// The hash of the password; nil for a person who has none.
    package let password: String?
    /// The id of the session.
    package let session: String

    package init(password: String?, session: String) {
        self.password = password
        self.session = session
    }
}

package struct Passkey: Sendable, Equatable {
    /// The authenticator's id of it, in base64url.
    package let id: String
    package let person: String
    /// What the person calls it.
    package let name: String
    /// The number of COSE.
    package let algorithm: Int64
    /// In base64url.
    package let publicKey: String
    package let signatures: Int64
    package let createdAt: Int64
    package let usedAt: Int64

    package init(
        id: String, person: String, name: String, algorithm: Int64, publicKey: String, signatures: Int64,
        createdAt: Int64, usedAt: Int64
    ) {
        self.id = id
        self.person = person
        self.name = name
        self.algorithm = algorithm
        self.publicKey = publicKey
        self.signatures = signatures
        self.createdAt = createdAt
        self.usedAt = usedAt
    }
}

package struct KnownPasskey: Sendable, Equatable {
    package let passkey: Passkey
    package let person: AccountHolder
}
