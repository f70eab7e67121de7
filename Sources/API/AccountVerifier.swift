import Identity
import Store
import Wire

/// Adds the profile of the account to a verified token, so that other participants see it.
///
/// For a user without a profile, or one who cannot be looked up at the moment, the token's own data are used.
package struct AccountVerifier: TokenVerifier {
    private let tokens: any TokenVerifier
    private let store: any ServerStore

    package init(_ tokens: any TokenVerifier, _ store: any ServerStore) {
        self.tokens = tokens
        self.store = store
    }

    package func verify(
        _ token: String?, now: Int64, _ done: @escaping @Sendable (Result<VerifiedToken, TokenError>) -> Void
    ) {
        let store = store
        tokens.verify(token, now: now) { result in
            guard case .success(let verified) = result else { return done(result) }
            store.account(verified.subject) { answer in
                var verified = verified
                if case .success(let account?) = answer, account.profile != nil {
                    var shown: [UInt8] = []
                    // Only users who share a room with the user get it.
                    JSONWriter.write(into: &shown) { $0.user(account, .near) }
                    verified.shown = shown
                }
                done(.success(verified))
            }
        }
    }
}
