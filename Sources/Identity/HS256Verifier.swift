import Wire

/// Verifies JWTs that are signed with a secret that this server shares.
package struct HS256Verifier: TokenVerifier {
    private let secret: [UInt8]
    private let rules: TokenRules

    /// - Parameters:
    ///   - issuer: the `iss` that a token must have; nil accepts any issuer, or none.
    ///   - audience: the `aud` that a token must have among its audiences; nil accepts any audience, or none.
    ///   - skew: how many seconds the issuer's clock may be off.
    ///
    /// A token without an expiry is valid for ever.
    package init(
        secret: [UInt8], issuer: String? = nil, audience: String? = nil, skew: Int64 = 60,
        limits: IdentityLimits = IdentityLimits()
    ) {
        self.secret = secret
        rules = TokenRules(
            issuers: issuer.map { [$0] } ?? [], audiences: audience.map { [$0] } ?? [], skew: skew, needsExpiry: false,
            limits: limits)
    }

    package func verify(
        _ token: String?, now: Int64, _ done: @escaping @Sendable (Result<VerifiedToken, TokenError>) -> Void
    ) {
        let result = Result { () throws(TokenError) in try verified(token, now: now) }
        done(result)
    }

    private func verified(_ token: String?, now: Int64) throws(TokenError) -> VerifiedToken {
        let token = try CompactToken(token, rules.limits)
        guard token.algorithm == "HS256" else { throw TokenError(.algorithm) }
        guard HMACSHA256.matches(token.signature, key: secret, message: token.signedBytes) else {
            throw TokenError(.signature)
        }
        return try rules.check(token.claims, now: now)
    }
}
