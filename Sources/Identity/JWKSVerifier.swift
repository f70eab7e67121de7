import Fetch

/// Verifies JWTs of an OpenID provider with the keys that it publishes.
///
/// Keys are fetched at the start, after some time, and when a token names an unknown key. A token that waits for a
/// fetch is answered on the thread that fetches.
package final class JWKSVerifier: TokenVerifier {
    private let rules: TokenRules
    private let keeper: KeyKeeper

    /// - Parameters:
    ///   - url: the address of the keys; https, or http on loopback.
    ///   - skew: how many seconds the provider's clock may be off.
    ///   - caFile: the authorities for the key server's certificate; nil for those of the system.
    ///   - report: called on the thread that fetches.
    package init(
        url: String, issuers: [String], audiences: [String], skew: Int64 = 60, caFile: String? = nil,
        limits: IdentityLimits = IdentityLimits(), report: @escaping @Sendable (KeyNotice) -> Void = { _ in }
    ) throws(IdentityFault) {
        guard let url = FetchURL(url) else {
            throw IdentityFault("the address of the keys is neither https nor http on loopback")
        }
        let download = KeyDownload(url: url, caFile: caFile, limits: limits)
        try download.check()
        rules = TokenRules(issuers: issuers, audiences: audiences, skew: skew, needsExpiry: true, limits: limits)
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
            // This refuses tokens without a signature, and those signed with HMAC under the text of a public key.
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
