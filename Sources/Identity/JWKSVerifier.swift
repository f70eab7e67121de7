import Fetch

/// Takes JWTs of an OpenID provider, under the keys that it publishes.
///
/// Keys are fetched when it is made, when some time has gone by, and when a token names one that is not known; a token
/// that waits for that is answered on the thread that fetches.
package final class JWKSVerifier: TokenVerifier {
    private let rules: TokenRules
    private let keeper: KeyKeeper

    /// - Parameters:
    ///   - url: where the keys are; https, or http on loopback.
    ///   - skew: by how many seconds the provider's clock may differ.
    ///   - caFile: the authorities that vouch for the key server; those of the system when it is nil.
    ///   - report: called on the thread that fetches.
    package init(
        url: String, issuer: String, audience: String, skew: Int64 = 60, caFile: String? = nil,
        limits: IdentityLimits = IdentityLimits(), report: @escaping @Sendable (KeyNotice) -> Void = { _ in }
    ) throws(IdentityFault) {
        guard let url = FetchURL(url) else {
            throw IdentityFault("the address of the keys is neither https nor http on loopback")
        }
        let download = KeyDownload(url: url, caFile: caFile, limits: limits)
        try download.check()
        rules = TokenRules(issuer: issuer, audience: audience, skew: skew, needsExpiry: true, limits: limits)
        keeper = KeyKeeper(limits, report: report) {
            Result { () throws(FetchFault) in try KeySet(download.run(), limits) }
        }
        try keeper.start()
    }

    deinit {
        keeper.stop()
    }

    package func verify(
        _ token: String?, now: Int64, _ done: @escaping @Sendable (Result<VerifiedToken, TokenError>) -> Void
    ) {
        do throws(TokenError) {
            let token = try CompactToken(token, rules.limits)
            // What is signed with HMAC under the text of a public key, or not at all, ends here.
            guard let algorithm = SignatureAlgorithm(rawValue: token.algorithm) else { throw TokenError(.algorithm) }
            let rules = rules
            let answer = keeper.key(token.keyID, algorithm) { done(rules.verify(token, $0, now: now)) }
            if let answer { done(rules.verify(token, answer, now: now)) }
        } catch {
            done(.failure(error))
        }
    }
}

extension TokenRules {
    fileprivate func verify(
        _ token: CompactToken, _ answer: KeyCache.Answer, now: Int64
    ) -> Result<VerifiedToken, TokenError> {
        Result { () throws(TokenError) in
            switch answer {
            case .key(let key):
                guard key.isSignature(token.signature, of: token.signedBytes) else { throw TokenError(.signature) }
                return try check(token.claims, now: now)
            case .unknown: throw TokenError(.unknownKey)
            case .unavailable, .afterFetch: throw TokenError(.keysUnavailable)
            }
        }
    }
}
