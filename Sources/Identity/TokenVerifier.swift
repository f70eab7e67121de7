/// Finds out who shows a token.
package protocol TokenVerifier: Sendable {
    /// Answers exactly once: before it returns when it can, otherwise later and on another thread.
    ///
    /// - Parameter now: seconds since 1970.
    func verify(
        _ token: String?, now: Int64, _ done: @escaping @Sendable (Result<VerifiedToken, TokenError>) -> Void)
}

/// Whom a token was made for, after all that it says has been checked.
package struct VerifiedToken: Sendable, Equatable {
    /// Who it is: never empty, bounded, without control characters.
    package let subject: String
    /// What to call them: one line, bounded.
    package let name: String?
    package let email: String?
    /// When the token runs out, in seconds since 1970, as it says itself. It is taken for as long as the clock skew
    /// after that.
    package let expiresAt: Int64?
    /// All claims as they came: a JSON object.
    package let claims: [UInt8]
    /// The person as others are to be shown them, a JSON object; nil when only the token tells of them.
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
