import Carriers
import Identity
import Store
import Threads
import Transport

/// People with an account of this server: sign-up, sign-in, sessions and their tokens.
///
/// It speaks no protocol. Each group of routes translates requests for it, and its answers.
package final class Accounts: Sendable {
    package let limits: AccountLimits
    package let store: any ServerStore
    let keys: SigningKeys
    let codes: CodeSending
    /// Nil on a server that sends no letters.
    let mail: Courier?
    let providers: IdentityProviders
    /// Nil on a server without a key for Apple.
    let apple: AppleTokens?
    private let revoking = Locked<Task<Void, Never>?>(nil)
    let site: PasskeySite
    package let chain: WalletChain
    /// Nil on a server that asks no chain.
    package let balances: Balances?
    /// Nil on a server that asks no chain.
    let contracts: ContractWallets?
    /// How many clients of each person want to hear of balances.
    let watched = Locked<[String: Int]>([:])
    private let watching = Locked<Task<Void, Never>?>(nil)
    package let codeTotals = CodeTotals()
    let hasher: PasswordHasher
    private let watcher = Locked<(@Sendable (AccountNews) -> Void)?>(nil)

    package init(
        _ store: any ServerStore, _ hasher: PasswordHasher, limits: AccountLimits = AccountLimits(),
        codes: CodeSending = .off, mail: Courier? = nil, providers: IdentityProviders = .none,
        apple: AppleTokens? = nil,
        site: PasskeySite = .local, chain: WalletChain = .ethereum,
        balances: Balances? = nil, contracts: ContractWallets? = nil
    ) {
        self.store = store
        self.hasher = hasher
        self.limits = limits
        self.codes = codes
        self.mail = mail
        self.providers = providers
        self.apple = apple
        self.site = site
        self.chain = chain
        self.balances = balances
        self.contracts = contracts
        keys = SigningKeys(store)
        // The first number reads the tables of all countries.
        Task.detached(priority: .background) { _ = PhoneNumber("+14155550123") }
        let task = startWatching()
        watching.withLock { $0 = task }
        let revocation = startRevoking()
        revoking.withLock { $0 = revocation }
    }

    /// Ends the threads of accounts. Requests that still wait for them are answered like those that fail.
    package func stop() {
        hasher.stop()
        if case .texts(let courier) = codes { courier.stop() }
        mail?.stop()
        watching.withLock { $0 }?.cancel()
        balances?.stop()
        contracts?.stop()
        revoking.withLock { $0 }?.cancel()
        apple?.stop()
    }

    /// An id that nobody has.
    package static func newID() -> String { RandomBytes.uuid() }

    // MARK: Signing in

    /// Makes an account and signs its person in. The caller has checked the name, the address and the password's length.
    package func signUp(
        name: String, email: String, password: String, _ client: AccountClient
    ) async throws(AccountFault) -> SignIn {
        try await countAttempt(with: email, of: nil, client)
        let hash = try await hasher.hash(password)
        let new = NewPerson(id: RandomBytes.uuid(), name: name, email: email, passwordHash: hash, at: client.now)
        let person = try await store.told { $0.addPerson(new, then: $1) }
        // The account is there, whatever becomes of this.
        try? await remember(client, of: person.id)
        return try await beginSession(of: person, client)
    }

    package func signIn(
        email: String, password: String, _ client: AccountClient
    ) async throws(AccountFault) -> SignIn {
        // Nobody has such an address, and it is not kept among those that are counted.
        guard email.utf8.count <= 254 else { throw .wrongCredentials }
        let known = try await store.told { $0.credentials(email: email, then: $1) }
        try await countAttempt(with: email, of: known?.person.id, client)
        guard try await hasher.matches(password, known?.passwordHash), let known, let old = known.passwordHash else {
            throw .wrongCredentials
        }
        try await remember(client, of: known.person.id)
        let signIn = try await beginSession(of: known.person, client, password: old)
        // If the server is too busy for it now, the next sign-in does it.
        if hasher.isOutdated(old), let new = try? await hasher.hash(password) {
            try await store.told { $0.setPassword(new, of: known.person.id, insteadOf: old, then: $1) }
        }
        return signIn
    }

    /// - Parameters:
    ///   - password: the hash of the password with which the person signs in.
    ///   - passkey: the id of the passkey with which the person signs in.
    ///   - wallet: the id of the wallet with which the person signs in.
    func beginSession(
        of person: AccountHolder, _ client: AccountClient, password: String? = nil, passkey: String? = nil,
        wallet: String? = nil
    ) async throws(AccountFault) -> SignIn {
        let (app, id) = (client.app, Base64URL.text(RandomBytes.make(15)))
        var token: RefreshToken?
        var secret: RefreshSecret?
        if app.refreshes {
            let key = Base64URL.text(RandomBytes.make(32))
            token = RefreshToken(session: id, key: key)
            secret = token?.secret(key: key, client)
            guard secret != nil else { throw .busy }
        }
        let lifetime = app.refreshes ? limits.sessionSecondsMax : app.accessSeconds
        let session = NewSession(
            id: id, person: person.id, app: app.name, agent: client.agent, at: client.now,
            endsAt: client.now + lifetime, refresh: secret, password: password, passkey: passkey,
            wallet: wallet)
        for old in try await store.told({ $0.beginSession(session, then: $1) }) {
            tell(EndedSession(id: old, person: person.id))
        }
        return try await signedIn(person, session: id, token, client)
    }

    private func signedIn(
        _ person: AccountHolder, session: String, _ refresh: RefreshToken?, _ client: AccountClient
    ) async throws(AccountFault) -> SignIn {
        let access = AccessToken(
            subject: person.id, email: person.email, isEmailVerified: person.emailVerifiedAt != nil, name: person.name,
            session: session, issuedAt: client.now, expiresAt: client.now + client.app.accessSeconds)
        guard let text = access.signed(with: try await keys.current(now: client.now)) else { throw .busy }
        return SignIn(
            person: person, session: session, accessToken: text, accessSeconds: client.app.accessSeconds,
            refreshToken: refresh?.text)
    }

    // MARK: Sessions

    /// Calls a handler with what other parts of the server may want to tell clients.
    package func onNews(_ handler: @escaping @Sendable (AccountNews) -> Void) { watcher.withLock { $0 = handler } }

    /// Ends a session of a person. Answers whether it was open.
    @discardableResult
    package func endSession(_ id: String, of person: String) async throws(AccountFault) -> Bool {
        guard try await store.told({ $0.endSession(id, of: person, then: $1) }) else { return false }
        tell(EndedSession(id: id, person: person))
        return true
    }

    /// Ends an account with its sessions. Answers the ids of the open rooms of which the person was a member.
    package func remove(_ person: String, now: Int64) async throws(AccountFault) -> [String] {
        let ended = try await store.told { $0.removePerson(person, at: now, then: $1) }
        for session in ended.sessions { tell(EndedSession(id: session, person: person)) }
        if apple != nil { Task.detached { await self.revokeEnded() } }
        return ended.rooms
    }

    func tell(_ session: EndedSession) { tell(.ended(session)) }

    func tell(_ news: AccountNews) { watcher.withLock { $0 }?(news) }

    /// A new access token and a new refresh token for a refresh token, which is of no use afterwards. If somebody uses it
    /// again nevertheless, it was stolen: the session ends. Only the client that made the last refresh may repeat it
    /// for a few seconds from the same network, because the answer may have been lost; it gets the same refresh token again.
    package func refresh(_ text: String, _ client: AccountClient) async throws(AccountFault) -> SignIn {
        guard let token = RefreshToken(text) else { throw .token(TokenError(.malformed)) }
        // Another request with the same token may come between the two steps. Then the second round sees what it did.
        for _ in 0..<2 {
            let open = try await store.told { $0.session(token.session, at: client.now, then: $1) }
            guard let open, let secret = open.refresh else { throw .token(TokenError(.ended)) }
            guard token.isGenuine(key: secret.key), let next = token.next(key: secret.key), let old = token.hash,
                let new = next.secret(key: secret.key, client)
            else { throw .token(TokenError(.signature)) }
            if new.hash == secret.hash, client.now - secret.rotatedAt <= limits.refreshRepeatSecondsMax,
                client.agent == open.session.agent, new.network == secret.network
            {
                return try await signedIn(open.person, session: token.session, next, client)
            }
            guard old == secret.hash else {
                try await endStolen(open, now: client.now)
                throw .token(TokenError(.ended))
            }
            let end = client.now + limits.sessionSecondsMax
            let isRotated = try await store.told {
                $0.rotateSession(token.session, from: old, to: new, by: client.agent, until: end, then: $1)
            }
            if isRotated { return try await signedIn(open.person, session: token.session, next, client) }
        }
        throw .token(TokenError(.ended))
    }

    /// Ends a session, one of whose old tokens somebody used, and tells its person.
    private func endStolen(_ open: OpenSession, now: Int64) async throws(AccountFault) {
        guard try await endSession(open.session.id, of: open.person.id) else { return }
        try await warn(
            open.person.id,
            """
            A session of yours was ended, because somebody used one of its old tokens. Somebody may have copied the \
            data of that device. The session's client was: \(open.session.agent)
            """, now: now)
    }

    /// Leaves a person a message about its account.
    func warn(_ person: String, _ content: String, now: Int64) async throws(AccountFault) {
        let message = Message(
            id: Self.newID(), person: person, sender: nil, kind: .warning, content: content, createdAt: now)
        _ = try await send(message)
    }

    // MARK: Messages

    /// Puts a message into a person's inbox, and tells the person's clients.
    package func send(_ message: Message) async throws(AccountFault) -> Message {
        let stored = try await store.told { $0.addMessage(message, then: $1) }
        tell(.message(stored))
        return stored
    }

    /// Ends the session of a refresh token. Any token of the session that this server made will do; others end nothing.
    package func signOut(refreshToken text: String, now: Int64) async throws(AccountFault) {
        guard let token = RefreshToken(text) else { return }
        let open = try await store.told { $0.session(token.session, at: now, then: $1) }
        guard let open, let secret = open.refresh, token.isGenuine(key: secret.key) else { return }
        try await endSession(token.session, of: open.person.id)
    }

    /// The person and the session of an access token.
    package func authenticate(_ text: String?, now: Int64) async throws(AccountFault) -> SignedIn {
        do throws(TokenError) {
            let unchecked = try UncheckedAccessToken(text)
            let key = try await key(of: unchecked, now: now).get()
            let (token, id) = try unchecked.checked(with: key, now: now)
            let open = try await session(id, now: now).get()
            guard let open, open.person.id.utf8.elementsEqual(token.subject.utf8) else { throw TokenError(.ended) }
            return SignedIn(person: open.person, session: open.session, token: token)
        } catch {
            throw .token(error)
        }
    }

    /// While the store fails, a token may still be valid.
    private func key(of token: UncheckedAccessToken, now: Int64) async -> Result<AccessKey?, TokenError> {
        do throws(AccountFault) {
            return .success(try await keys.key(token.keyID, now: now))
        } catch {
            return .failure(TokenError(.keysUnavailable))
        }
    }

    private func session(_ id: String, now: Int64) async -> Result<OpenSession?, TokenError> {
        do throws(AccountFault) {
            return .success(try await store.told { $0.session(id, at: now, then: $1) })
        } catch {
            return .failure(TokenError(.keysUnavailable))
        }
    }
}

/// The client of a request for a session.
package struct AccountClient: Sendable {
    package let app: AccountApp
    /// Its network address, as it is counted; nil if it is not.
    package let address: IPAddress?
    /// Its `User-Agent`, shortened.
    package let agent: String
    /// Seconds since 1970.
    package let now: Int64

    package init(_ app: AccountApp, address: IPAddress?, agent: String, now: Int64) {
        self.app = app
        self.address = address
        self.agent = String(decoding: agent.utf8.prefix(200), as: UTF8.self)
        self.now = now
    }
}

/// The tokens of an application that people sign in to.
package struct AccountApp: Sendable {
    package let name: String
    package let accessSeconds: Int64
    /// Whether its clients refresh their tokens. Otherwise a session ends with its access token.
    package let refreshes: Bool

    package init(name: String, accessSeconds: Int64, refreshes: Bool) {
        self.name = name
        self.accessSeconds = accessSeconds
        self.refreshes = refreshes
    }

    package static let rooms = AccountApp(name: "rooms", accessSeconds: 15 * 60, refreshes: true)
    package static let interspace = AccountApp(name: "interspace", accessSeconds: 15 * 60, refreshes: true)
    package static let soul = AccountApp(name: "soul", accessSeconds: 15 * 60, refreshes: true)
    package static let mueJam = AccountApp(name: "muejam", accessSeconds: 15 * 60, refreshes: true)
    package static let subspace = AccountApp(name: "subspace", accessSeconds: 86_400, refreshes: false)
}

/// The answer to a sign-in or a refresh.
package struct SignIn: Sendable {
    package let person: AccountHolder
    package let session: String
    package let accessToken: String
    package let accessSeconds: Int64
    package let refreshToken: String?
}

/// What has happened to an account.
package enum AccountNews: Sendable, Equatable {
    /// A session was ended before its time.
    case ended(EndedSession)
    /// The person has got a message.
    case message(Message)
    /// A wallet has other balances than before, a JSON object.
    case balances(Wallet, [UInt8])
}

package struct EndedSession: Sendable, Equatable {
    package let id: String
    package let person: String
}

/// The sender of a request with a valid token.
package struct SignedIn: Sendable {
    package let person: AccountHolder
    package let session: Session
    package let token: VerifiedToken
}
