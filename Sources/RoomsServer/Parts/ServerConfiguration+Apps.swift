import API
import Accounts
import Configuration
import Identity
import Store

/// The groups of routes of a server.
extension ServerConfiguration {
    /// - Parameters:
    ///   - accounts: the accounts of this server; nil where it has none.
    ///   - media: nil for no uploads.
    func api(
        _ store: any ServerStore, _ verifier: any TokenVerifier, _ accounts: Accounts?, _ media: MediaService?
    ) -> API {
        API(
            store: store, verifier: verifier, origins: originPolicy, isOpen: auth == .open, version: Version.current,
            limits: api, media: media, publicURL: publicURL, accounts: auth == .accounts ? accounts : nil)
    }

    /// The interfaces of the applications.
    func apps(_ accounts: Accounts) -> [any AppInterface] {
        let options = AppOptions(
            accounts, origins: originPolicy, version: Version.current, isLimited: rateLimits, publicURL: publicURL)
        let interfaces: [(AppChoice, any AppInterface)] = [
            (.subspace, options.subspace), (.interspace, options.interspace), (.interspace, options.channels),
            (.soul, options.soul), (.muejam, options.mueJam),
        ]
        return interfaces.filter { serves($0.0) }.map(\.1)
    }
}
