import Identity

/// Verifies access tokens of this server's own accounts. A token is accepted only while its session is open.
package struct SessionVerifier: TokenVerifier {
    private let accounts: Accounts

    package init(_ accounts: Accounts) {
        self.accounts = accounts
    }

    package func verify(
        _ token: String?, now: Int64, _ done: @escaping @Sendable (Result<VerifiedToken, TokenError>) -> Void
    ) {
        let accounts = accounts
        Task.detached {
            do throws(AccountFault) {
                done(.success(try await accounts.authenticate(token, now: now).token))
            } catch {
                if case .token(let fault) = error {
                    done(.failure(fault))
                } else {
                    done(.failure(.init(.keysUnavailable)))
                }
            }
        }
    }
}
