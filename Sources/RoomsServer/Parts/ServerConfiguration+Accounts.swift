import Accounts
import Carriers
import Configuration
import Identity
import Logging
import Store

extension ServerConfiguration {
    /// The accounts of the server; nil where people have none.
    func accounts(_ store: (any ServerStore)?, _ logger: Logger) throws(IdentityFault) -> Accounts? {
        guard usesAccounts, let store else { return nil }
        var costs = PasswordHasher.Costs()
        costs.memoryKibibytes = UInt32(clamping: passwordMemory >> 10)
        costs.passes = UInt32(clamping: passwordPasses)
        var limits = AccountLimits()
        limits.codesMax = smsPerHourMax
        limits.codeRegions = Set(smsRegions)
        let providers = IdentityProviders(
            google: try verifier(
                googleKeysURL, ["https://accounts.google.com", "accounts.google.com"], googleClients, logger),
            apple: try verifier(appleKeysURL, ["https://appleid.apple.com"], appleClients, logger))
        return Accounts(
            store, PasswordHasher(costs: costs), limits: limits, codes: codeSending(logger), providers: providers)
    }

    /// Nil without clients.
    private func verifier(
        _ url: String, _ issuers: [String], _ clients: [String], _ logger: Logger
    ) throws(IdentityFault) -> (any TokenVerifier)? {
        guard !clients.isEmpty else { return nil }
        return try JWKSVerifier(url: url, issuers: issuers, audiences: clients) { notice in
            switch notice {
            case .fetched(let keys): logger.debug("keys fetched", ["keys": keys, "url": url])
            case .failed(let reason): logger.warning("keys not fetched", ["reason": reason, "url": url])
            }
        }
    }

    private func codeSending(_ logger: Logger) -> CodeSending {
        if developerCodes { return .shown }
        switch sms {
        case .off: return .off
        case .twilio:
            let (url, account, key, sender) = (smsURL, smsAccount ?? "", smsKey?.revealed() ?? [], smsFrom ?? "")
            let report = { @Sendable (reason: String) in logger.warning("a code was not sent", ["reason": reason]) }
            return .texts(
                Courier(report: report) {
                    guard let twilio = Twilio(url: url, account: account, key: key, sender: sender) else {
                        preconditionFailure("a good configuration has an address for texts")
                    }
                    return twilio
                })
        }
    }
}
