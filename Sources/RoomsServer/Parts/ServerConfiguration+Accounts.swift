import Accounts
import Carriers
import Chains
import Configuration
import Fetch
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
        limits.textsMax = smsPerHourMax
        limits.lettersMax = mailPerHourMax
        limits.codeRegions = Set(smsRegions)
        let providers = IdentityProviders(
            google: try verifier(
                googleKeysURL, ["https://accounts.google.com", "accounts.google.com"], googleClients, logger),
            apple: try verifier(appleKeysURL, ["https://appleid.apple.com"], appleClients, logger))
        return Accounts(
            store, PasswordHasher(costs: costs), limits: limits, codes: codeSending(logger), mail: mailing(logger),
            providers: providers, apple: try appleTokens(logger), site: passkeySite,
            chain: WalletChain(id: Int64(walletChainID), name: walletChain), balances: balances(logger),
            contracts: contracts(logger))
    }

    /// Nil without a key.
    private func appleTokens(_ logger: Logger) throws(IdentityFault) -> AppleTokens? {
        guard let appleTeam, let appleKeyID, let appleKey else { return nil }
        let tokens = AppleTokens(url: appleURL, team: appleTeam, keyID: appleKeyID, key: appleKey.revealed()) {
            logger.warning("Apple does not answer as it should", ["reason": $0])
        }
        guard let tokens else { throw IdentityFault("the key in apple-key-file is none on the curve P-256 in PEM") }
        return tokens
    }

    /// Nil without a node.
    private func balances(_ logger: Logger) -> Balances? {
        chainPlace.map { place in
            let kept = Int64(walletBalanceAge.components.seconds) * 1_000
            return Balances(place, keptMilliseconds: kept) { reason in
                logger.warning("the node of the chain does not say balances", ["reason": reason])
            }
        }
    }

    /// Nil without a node.
    private func contracts(_ logger: Logger) -> ContractWallets? {
        chainPlace.map { place in
            ContractWallets(place) { reason in
                logger.warning("the node of the chain does not say whether a contract has signed", ["reason": reason])
            }
        }
    }

    private var chainPlace: ChainPlace? {
        walletNodeURL.map {
            ChainPlace(url: $0, chain: Int64(walletChainID), coin: walletCoin, tokens: walletTokens)
        }
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

    private func mailing(_ logger: Logger) -> Courier? {
        let sender = mailFrom ?? ""
        let makeCarrier: @Sendable () -> any Carrier
        switch mail {
        case .off: return nil
        case .file:
            let path = (data ?? ".") + "/mail"
            makeCarrier = { MailFolder(path, sender: sender) }
        case .server(let text):
            guard let url = MailURL(text) else {
                preconditionFailure("a good configuration has an address for letters")
            }
            let (user, key, caFile) = (mailUser, mailKey?.revealed() ?? [], mailCAFile)
            makeCarrier = { MailServer(url, sender: sender, user: user, key: key, caFile: caFile) }
        }
        let report = { @Sendable (reason: String) in logger.warning("a letter was not sent", ["reason": reason]) }
        return Courier(report: report, makeCarrier: makeCarrier)
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
