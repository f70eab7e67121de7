import Accounts
import Configuration
import Identity
import Logging

extension ServerConfiguration {
    /// The verifier of tokens. For a good configuration this fails only when the system lacks something.
    ///
    /// - Parameter accounts: the accounts of this server; nil where it has none.
    func tokenVerifier(_ accounts: Accounts?, _ logger: Logger) throws(IdentityFault) -> any TokenVerifier {
        let skew = Int64(authClockSkew.wholeMilliseconds / 1_000)
        switch auth {
        case .open: return OpenVerifier()
        case .hs256:
            // Without a secret no client could connect, because no token could be valid.
            precondition(authSecret != nil, "a good configuration has a secret for hs256")
            return HS256Verifier(
                secret: authSecret?.revealed() ?? [], issuer: authIssuer, audience: authAudience, skew: skew)
        case .accounts:
            guard let accounts else { preconditionFailure("a good configuration has a store for accounts") }
            return SessionVerifier(accounts)
        case .jwks:
            return try JWKSVerifier(
                url: authJWKSURL ?? "", issuers: [authIssuer ?? ""], audiences: [authAudience ?? ""], skew: skew,
                caFile: authCAFile
            ) { notice in
                switch notice {
                case .fetched(let keys): logger.debug("keys fetched", ["keys": keys])
                case .failed(let reason): logger.warning("keys not fetched", ["reason": reason])
                }
            }
        }
    }
}
