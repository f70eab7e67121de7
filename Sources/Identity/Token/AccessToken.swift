import Wire

/// A token of this server's own accounts: names a client's user, and the session in which it signed in.
package struct AccessToken: Sendable, Equatable {
    package let subject: String
    package let email: String
    /// Whether the person has proved the address. Otherwise no other user may see it.
    package let isEmailVerified: Bool
    package let name: String
    package let session: String
    /// Seconds since 1970.
    package let issuedAt: Int64
    package let expiresAt: Int64

    package init(
        subject: String, email: String, isEmailVerified: Bool, name: String, session: String, issuedAt: Int64,
        expiresAt: Int64
    ) {
        self.subject = subject
        self.email = email
        self.isEmailVerified = isEmailVerified
        self.name = name
        self.session = session
        self.issuedAt = issuedAt
        self.expiresAt = expiresAt
    }

    /// Nil only when libcrypto fails.
    package func signed(with key: AccessKey) -> String? {
        var claims: [UInt8] = []
        JSONWriter.write(into: &claims) { json in
            json.beginObject()
            json.member("sub", subject)
            // Clients of older applications look for the subject here.
            json.member("user_id", subject)
            json.member("email", email)
            json.member("email_verified", isEmailVerified)
            json.member("name", name)
            json.member("sid", session)
            json.member("iat", Int(issuedAt))
            json.member("exp", Int(expiresAt))
            json.endObject()
        }
        return CompactToken.signed(claims, secret: key.secret, keyID: key.id)
    }
}

/// A key that signs access tokens.
package struct AccessKey: Sendable, Equatable {
    /// Letters, digits, `-` and `_`.
    package let id: String
    package let secret: [UInt8]

    package init(id: String, secret: [UInt8]) {
        self.id = id
        self.secret = secret
    }
}

/// An access token with a text that can be read, before its signature was checked.
package struct UncheckedAccessToken: Sendable {
    private let token: CompactToken
    private let rules: TokenRules
    /// The id of the key that it says it is signed with.
    package let keyID: String

    /// - Parameter skew: how many seconds the clocks of a cluster's nodes may differ.
    package init(_ text: String?, skew: Int64 = 5, limits: IdentityLimits = IdentityLimits()) throws(TokenError) {
        token = try CompactToken(text, limits)
        guard token.algorithm == "HS256" else { throw TokenError(.algorithm) }
        guard let keyID = token.keyID else { throw TokenError(.unknownKey) }
        self.keyID = String(decoding: keyID, as: UTF8.self)
        rules = TokenRules(issuers: [], audiences: [], skew: skew, needsExpiry: true, limits: limits)
    }

    /// - Parameter key: the key with that id; nil when this server has none.
    package func checked(
        with key: AccessKey?, now: Int64
    ) throws(TokenError) -> (token: VerifiedToken, session: String) {
        guard let key else { throw TokenError(.unknownKey) }
        guard HMACSHA256.matches(token.signature, key: key.secret, message: token.signedBytes) else {
            throw TokenError(.signature)
        }
        let verified = try rules.check(token.claims, now: now)
        guard let session = UniqueMembers(token.claims)?["sid"]?.string, !session.isEmpty else {
            throw TokenError(.malformed, "The token names no session.")
        }
        return (verified, session)
    }
}
