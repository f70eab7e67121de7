/// Verifies tokens.
package protocol TokenVerifier: Sendable {
    /// Answers exactly once: before it returns if it can, otherwise later and on another thread.
    ///
    /// - Parameter now: seconds since 1970.
    func verify(
        _ token: String?, now: Int64, _ done: @escaping @Sendable (Result<VerifiedToken, TokenError>) -> Void)
}

/// The content of a token after all checks.
package struct VerifiedToken: Sendable, Equatable {
    /// The id of the user: never empty, bounded, without control characters.
    package let subject: String
    /// The name of the user: one line, bounded.
    package let name: String?
    package let email: String?
    /// When the token expires, in seconds since 1970, as the token says. It is accepted for the clock skew after that.
    package let expiresAt: Int64?
    /// All claims of the token: a JSON object.
    package let claims: [UInt8]
    /// The user as others see it, a JSON object; nil when only the token is known.
    package var shown: [UInt8]?

    package init(
        subject: String, name: String?, email: String?, expiresAt: Int64?, claims: [UInt8], shown: [UInt8]? = nil
    ) {
        self.subject = subject
        self.name = name
        self.email = email
        self.expiresAt = expiresAt
        self.claims = claims
        self.shown = shown
    }
}

extension VerifiedToken {
    /// The session of a token of this server's own accounts.
    package var session: String? { UniqueMembers(claims)?["sid"]?.string }

    /// The organisation of Google's to which the user belongs.
    package var organisation: String? { UniqueMembers(claims)?["hd"]?.string }

    /// What the client gave the provider for this token alone.
    package var nonce: String? { UniqueMembers(claims)?["nonce"]?.string }

    /// Whom the token was made for, if that is a single one.
    package var audience: String? { UniqueMembers(claims)?["aud"]?.string }

    /// Whether the issuer says that it has verified the address. Without a word it has not.
    package var isEmailVerified: Bool {
        let claim = UniqueMembers(claims)?["email_verified"]
        return claim?.bool == true || claim?.string == "true"
    }
}
