/// The sessions of people: each begins with a sign-in and lasts until a sign-out, a theft or its end.
package protocol SessionDirectory: Sendable {
    /// Throws `notFound` when the person is gone, or has no more the password or the passkey with which it signed in. Past
    /// `StoreLimits.sessionsMax` of a person, the session that was used least recently is removed. Answers the ids of
    /// those that were.
    func beginSession(_ session: NewSession, then answer: @escaping Answer<[String]>)

    /// An open session with its person; nil when it has ended.
    func session(_ id: String, at now: Int64, then answer: @escaping Answer<OpenSession?>)

    /// The open sessions of a person, the last used first.
    func sessions(of person: String, at now: Int64, then answer: @escaping Answer<[Session]>)

    /// Replaces the hash of a session's refresh token, if it is still the old one. Answers whether it was. The client may have
    /// another name since an update, and another network.
    func rotateSession(
        _ id: String, from old: String, to new: RefreshSecret, by agent: String, until end: Int64,
        then answer: @escaping Answer<Bool>)

    /// Ends a session of a person, and forgets the devices that it has registered. Answers whether it was open.
    func endSession(_ id: String, of person: String, then answer: @escaping Answer<Bool>)
}

package struct Session: Sendable, Equatable {
    package let id: String
    package let person: String
    /// The application that the person signed in to.
    package let app: String
    /// The `User-Agent` of the client.
    package let agent: String
    package let createdAt: Int64
    /// The last sign-in or refresh.
    package let seenAt: Int64
    package let endsAt: Int64
}

/// A session for requests: its person, and what its refresh tokens are made of.
package struct OpenSession: Sendable, Equatable {
    package let session: Session
    package let person: AccountHolder
    package let refresh: RefreshSecret?
}

/// The store's part of a session's refresh tokens. The next token cannot be made without the current one: see `RefreshToken`.
package struct RefreshSecret: Sendable, Equatable {
    /// The key with which each token of the session is made from the one before.
    package let key: String
    /// The hash of the current token.
    package let hash: String
    /// A hash of the client's network, made with the session's key.
    package let network: String
    package let rotatedAt: Int64

    package init(key: String, hash: String, network: String, rotatedAt: Int64) {
        self.key = key
        self.hash = hash
        self.network = network
        self.rotatedAt = rotatedAt
    }
}

package struct NewSession: Sendable {
    package let id: String
    package let person: String
    package let app: String
    package let agent: String
    package let at: Int64
    package let endsAt: Int64
    /// Nil for a session that is not refreshed.
    package let refresh: RefreshSecret?
    /// The hash of the password with which the person signed in; nil for another way.
    package let password: String?
    /// The id of the passkey with which the person signed in; nil for another way.
    package let passkey: String?
    /// The id of the wallet with which the person signed in; nil for another way.
    package let wallet: String?

    package init(
        id: String, person: String, app: String, agent: String, at: Int64, endsAt: Int64, refresh: RefreshSecret?,
        password: String? = nil, passkey: String? = nil, wallet: String? = nil
    ) {
        self.password = password
        self.passkey = passkey
        self.wallet = wallet
        self.id = id
        self.person = person
        self.app = app
        self.agent = agent
        self.at = at
        self.endsAt = endsAt
        self.refresh = refresh
    }
}

/// The keys that sign access tokens.
package protocol SigningKeyStore: Sendable {
    /// The newest first.
    func signingKeys(then answer: @escaping Answer<[SigningKeyRecord]>)
    /// Adds a key. With `isFirst` it is added only if there is none.
    func addSigningKey(_ key: SigningKeyRecord, isFirst: Bool, then answer: @escaping Answer<Void>)
}

package struct SigningKeyRecord: Sendable, Equatable {
    package let id: String
    /// Base64url.
    package let secret: String
    package let createdAt: Int64

    package init(id: String, secret: String, createdAt: Int64) {
        self.id = id
        self.secret = secret
        self.createdAt = createdAt
    }
}
