import API
import Accounts
import Configuration

extension ServerConfiguration {
    func subspace(_ accounts: Accounts) -> Subspace {
        Subspace(
            accounts, origins: originPolicy, version: Version.current, isLimited: rateLimits, publicURL: publicURL)
    }
}
