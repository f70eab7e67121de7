import Store
import Wire

/// A message that a wallet signs, for a client that does not write its own.
package struct WalletChallenge: Sendable {
    package let message: String
    package let nonce: String
    package let chain: Int64
    package let endsAt: Int64
}

/// A message that a client says a wallet has signed.
package struct SignedMessage: Sendable {
    package let message: String
    package let signature: String
    /// The address that the client gives besides; nil for none.
    package let address: WalletAddress?
    /// The program that has the wallet's key.
    package let kind: String

    package init(_ message: String, signature: String, address: WalletAddress? = nil, kind: String) {
        self.message = message
        self.signature = signature
        self.address = address
        self.kind = kind
    }
}

/// What a wallet's signature is good for.
package enum WalletUse: String, Sendable {
    case signUp = "sign-up"
    case signIn = "sign-in"
    case connect
}

/// Signing up and in with wallets, whose owners sign messages (EIP-4361 with `personal_sign`), and connecting them.
extension Accounts {
    /// - Parameters:
    ///   - origin: that of the page that asks; nil for the site's domain.
    ///   - person: who connects a wallet.
    package func walletChallenge(
        for use: WalletUse, _ address: WalletAddress, origin: String?, person: String = "", now: Int64
    ) async throws(AccountFault) -> WalletChallenge {
        let origin = origin ?? site.usualOrigin
        guard site.allows(origin), let domain = origin.split(separator: "/").last.map(String.init) else {
            throw .wallet(.domain(origin))
        }
        let (key, endsAt) = (try await keys.current(now: now), now + limits.challengeSecondsMax)
        guard let nonce = WalletNonce(for: .init(use, person, address), endsAt: endsAt, key: key) else { throw .busy }
        let message = WalletMessage(
            domain: domain, address: address, statement: use.statement, uri: origin, chain: chain.id,
            nonce: nonce.text, issuedAt: now, expiresAt: endsAt)
        return WalletChallenge(message: message.text, nonce: nonce.text, chain: chain.id, endsAt: endsAt)
    }

    /// Makes an account with a wallet and without a password, and signs its person in. The caller has checked the name.
    package func signUp(
        name: String, with signed: SignedMessage, _ client: AccountClient
    ) async throws(AccountFault) -> SignIn {
        let (address, nonce) = try await check(signed, for: .signUp, person: "", client)
        try await use(nonce, now: client.now)
        let new = NewPerson(id: Self.newID(), name: name, email: "", passwordHash: nil, at: client.now)
        let wallet = wallet(signed, address, of: new.id, now: client.now)
        let person = try await store.told { $0.addPerson(new, with: wallet, then: $1) }
        return try await beginSession(of: person, client, wallet: wallet.id)
    }

    /// Signs in the person of the wallet.
    package func signIn(with signed: SignedMessage, _ client: AccountClient) async throws(AccountFault) -> SignIn {
        let (address, nonce) = try await check(signed, for: .signIn, person: "", client)
        guard let known = try await store.told({ $0.wallet(address: address.text, then: $1) }), known.wallet.signsIn
        else { throw .wrongWallet }
        try await use(nonce, now: client.now)
        return try await beginSession(of: known.person, client, wallet: known.wallet.id)
    }

    /// Gives a person one more wallet. The person can sign in with it if the password is given, or, without one, just after
    /// another sign-in: a token that was stolen must not become the account.
    package func connectWallet(
        _ signed: SignedMessage, to person: AccountHolder, session: String, password: String?, _ client: AccountClient
    ) async throws(AccountFault) -> Wallet {
        let (address, nonce) = try await check(signed, for: .connect, person: person.id, client)
        var proof: PersonProof?
        if let password {
            proof = PersonProof(password: try await check(password, of: person, client), session: session)
        } else if try await isFresh(session, now: client.now) {
            proof = PersonProof(password: nil, session: session)
        }
        try await use(nonce, now: client.now)
        let (new, shown) = (wallet(signed, address, of: person.id, now: client.now), proof)
        let wallet = try await store.told { $0.connectWallet(new, showing: shown, then: $1) }
        await tell(
            person, "A wallet was connected",
            """
            The wallet \(address.checksummed) was connected to your account\
            \(wallet.signsIn ? ", and can sign in to it" : ""). The client was: \(client.agent)
            """, client.now)
        return wallet
    }

    /// Removes a wallet of a person. Answers whether the person had it.
    package func removeWallet(
        _ id: String, of person: AccountHolder, _ client: AccountClient
    ) async throws(AccountFault) -> Bool {
        let known = try await store.told { $0.wallets(of: person.id, then: $1) }.first {
            $0.id.utf8.elementsEqual(id.utf8)
        }
        guard try await store.told({ $0.removeWallet(id, of: person.id, then: $1) }) else { return false }
        await tell(
            person, "A wallet was disconnected",
            "The wallet \(known?.address ?? "") was disconnected from your account. The client was: \(client.agent)",
            client.now)
        return true
    }

    private func wallet(_ signed: SignedMessage, _ address: WalletAddress, of person: String, now: Int64) -> Wallet {
        Wallet(
            id: Self.newID(), person: person, address: address.text, kind: signed.kind, createdAt: now, usedAt: now)
    }

    // MARK: What was signed

    /// The address that has signed a message for this server, just now and for this purpose. Its nonce is still to be used.
    private func check(
        _ signed: SignedMessage, for use: WalletUse, person: String, _ client: AccountClient
    ) async throws(AccountFault) -> (WalletAddress, WalletNonce) {
        try await countAttempt(client)
        let message: WalletMessage
        do throws(WalletFault) {
            message = try verified(signed, now: client.now)
        } catch {
            throw .wallet(error)
        }
        let right = WalletNonce.Use(use, person, message.address)
        guard let nonce = WalletNonce(message.nonce), nonce.endsAt > client.now,
            let key = try await keys.key(nonce.keyID, now: client.now), nonce.isGenuine(for: right, key),
            try await !isUsedUp(nonce.once, now: client.now)
        else { throw .wallet(.nonce) }
        try await checkSignature(signed, of: message.address, client)
        // Only who has the wallet comes as far as this.
        try await countAttempt(with: message.address.text, of: nil, client)
        return (message.address, nonce)
    }

    /// Throws unless the key of the address has signed the message, or a contract at the address takes the signature.
    private func checkSignature(
        _ signed: SignedMessage, of address: WalletAddress, _ client: AccountClient
    ) async throws(AccountFault) {
        guard !WalletSignature.isOfFutureContract(signed.signature) else { throw .wallet(.notDeployed) }
        let fault: WalletFault
        do throws(WalletFault) {
            if try WalletSignature.signer(of: signed.message, signed.signature) == address { return }
            fault = .signer
        } catch {
            fault = error
        }
        guard fault != .highS, let contracts,
            let question = WalletSignature.question(of: signed.message, signed.signature, to: address)
        else { throw .wallet(fault) }
        var allowances = [Allowance("contracts", most: limits.contractQuestionsMax, seconds: 3_600)]
        if let address = client.address {
            allowances.append(
                Allowance("contracts:\(address)", most: limits.contractQuestionsOfAddressMax, seconds: 3_600))
        }
        try await store.told { [allowances] in $0.spend(allowances, at: client.now, then: $1) }
        guard let isAccepted = await contracts.accepts(question) else { throw .chainFails }
        guard isAccepted else { throw .wallet(.signer) }
    }

    /// A message that is for this server, and of now. Who has signed it is still to be checked.
    private func verified(_ signed: SignedMessage, now: Int64) throws(WalletFault) -> WalletMessage {
        let message = try WalletMessage(reading: signed.message)
        if let given = signed.address, given != message.address { throw .address }
        guard message.isOfOnePlace, let origin = message.origin, site.allows(origin) else {
            throw .domain(message.domain)
        }
        guard message.chain == chain.id else { throw .chain(chain.id) }
        guard isOfNow(message, now) else { throw .time }
        return message
    }

    /// Clocks of clients and of other nodes may be a minute off.
    private func isOfNow(_ message: WalletMessage, _ now: Int64) -> Bool {
        let issued = now - limits.challengeSecondsMax - 60...now + 60
        return issued.contains(message.issuedAt) && message.expiresAt ?? .max > now
            && message.notBefore ?? .min <= now + 60
    }

    /// Nobody can use the nonce any more. Throws when somebody has.
    private func use(_ nonce: WalletNonce, now: Int64) async throws(AccountFault) {
        guard try await isFirstUse(nonce.once, now: now) else { throw .wallet(.nonce) }
    }
}

extension WalletUse {
    /// What the person reads in the wallet.
    fileprivate var statement: String {
        switch self {
        case .signUp: "Make an account with this wallet."
        case .signIn: "Sign in with this wallet."
        case .connect: "Connect this wallet to your account."
        }
    }
}
