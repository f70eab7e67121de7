import Identity
import Store
import Wire

/// The providers whose users may sign in, each with the verifier of its identity tokens.
package struct IdentityProviders: Sendable {
    package static let none = IdentityProviders(google: nil, apple: nil)

    private let google: (any TokenVerifier)?
    private let apple: (any TokenVerifier)?

    package init(google: (any TokenVerifier)?, apple: (any TokenVerifier)?) {
        self.google = google
        self.apple = apple
    }

    fileprivate func verifier(_ kind: Credential.Kind) -> (any TokenVerifier)? {
        switch kind {
        case .google: google
        case .apple: apple
        case .phone: nil
        }
    }
}

/// Signing in with the identity token of a provider.
extension Accounts {
    /// Signs in the subject of the token; the first sign-in makes an account. The account of a person joins if another provider
    /// has vouched for its address before, and this provider does so, too. An address that was shown by a code alone joins
    /// nobody: an attacker may have guessed or read that code.
    ///
    /// - Parameters:
    ///   - code: Apple's authorization code, if the client has one.
    ///   - nonce: what the client gave the provider for this token, or what it gave the SHA-256 of; nil if it gave nothing.
    ///   - name: what the client says that its user is called, for a new account.
    package func signIn(
        _ kind: Credential.Kind, identityToken: String, code: String? = nil, nonce: String? = nil, name: String?,
        _ client: AccountClient
    ) async throws(AccountFault) -> SignIn {
        guard let verifier = providers.verifier(kind) else { throw .providerIsOff }
        let token = try await verify(identityToken, with: verifier, now: client.now)
        if let nonce, !Self.isFor(nonce, token) { throw .token(TokenError(.nonce)) }
        try await useOnce(identityToken, until: token.expiresAt, now: client.now)
        let shown = token.name ?? name ?? ""
        let email = Self.vouched(token, by: kind)
        let credential = Credential(kind, token.subject, email: email.isEmpty ? nil : email)
        let new = NewPerson(
            id: Self.newID(), name: shown, email: email, emailVerifiedAt: email.isEmpty ? nil : client.now,
            passwordHash: nil, at: client.now)
        let person: AccountHolder
        do throws(AccountFault) {
            person = try await store.told { $0.person(with: credential, orNew: new, then: $1) }
        } catch {
            switch error {
            // Somebody uses the address for which no provider has vouched there: the new account goes without it. Or the
            // same user signs in at another node in this moment, and is known by now.
            case .emailTaken, .store(.taken), .store(.conflict):
                let other = NewPerson(id: new.id, name: shown, email: "", passwordHash: nil, at: client.now)
                person = try await store.told { $0.person(with: credential, orNew: other, then: $1) }
                await tellHolder(of: email, about: person, kind, now: client.now)
            default: throw error
            }
        }
        if kind == .apple, let code, !code.isEmpty { await keepAppleToken(for: code, token, of: person.id) }
        return try await beginSession(of: person, client)
    }

    /// Tells the holder of an address that somebody else has just signed in with it. Whoever reads its letters hears of both
    /// accounts.
    private func tellHolder(
        of email: String, about new: AccountHolder, _ kind: Credential.Kind, now: Int64
    ) async {
        guard let known = try? await store.told({ $0.credentials(email: email, then: $1) }), known.person.id != new.id
        else { return }
        let provider = kind == .google ? "Google" : "Apple"
        await tell(
            known.person, "A sign-in with your address",
            """
            Somebody has signed in with \(provider) and your address. The server has made a new account for that sign-in, \
            because nothing shows that the same person has this older account. If you made the older account, sign in to \
            it as before. If you did not, set a new password for the older account with a code, and then delete it.
            """, now)
    }

    /// The address of a token, if the provider answers for it; otherwise empty. Google does so for its own addresses and those
    /// of the user's organisation; others it has seen to be the user's once.
    private static func vouched(_ token: VerifiedToken, by kind: Credential.Kind) -> String {
        guard token.isEmailVerified, let email = token.email, EmailAddress.isValid(email),
            let domain = email.split(separator: "@").last.map({ String($0).foldedASCII })
        else { return "" }
        guard kind == .google else { return email }
        return domain == "gmail.com" || domain == token.organisation?.foldedASCII ? email : ""
    }

    /// Apple's examples give the provider the digest of a nonce, in hexadecimal digits, and the server the nonce.
    private static func isFor(_ nonce: String, _ token: VerifiedToken) -> Bool {
        guard let claim = token.nonce else { return false }
        let digest = SHA256Digest.of(Array(nonce.utf8)).map(Hex.text)
        return [nonce, digest].contains { $0?.utf8.elementsEqual(claim.utf8) == true }
    }

    /// An attacker that intercepts a token must not sign in with it. What is signed counts: of some signatures anybody can make
    /// a second one that fits.
    private func useOnce(_ token: String, until end: Int64?, now: Int64) async throws(AccountFault) {
        let signed = Array(token.utf8.prefix(token.utf8.count - token.utf8.reversed().prefix { $0 != 0x2e }.count))
        guard let hash = SHA256Digest.of(signed) else { throw .busy }
        // Longer than it lasts: clocks may differ.
        let seconds = max((end ?? now + 3_600) - now, 0) + 600
        guard try await isFirstUse(.once("identity:\(Base64URL.text(hash))", seconds: seconds), now: now) else {
            throw .token(TokenError(.expired, "The token was used before; ask the provider for a new one."))
        }
    }

    private func verify(
        _ token: String, with verifier: any TokenVerifier, now: Int64
    ) async throws(AccountFault) -> VerifiedToken {
        let result = await withCheckedContinuation { continuation in
            verifier.verify(token, now: now) { continuation.resume(returning: $0) }
        }
        switch result {
        case .success(let token): return token
        case .failure(let error): throw .token(error)
        }
    }
}
