import Accounts
import Carriers
import Configuration
import Logging
import Store

extension ServerConfiguration {
    /// The accounts of the server; nil where people have none.
    func accounts(_ store: (any ServerStore)?, _ logger: Logger) -> Accounts? {
        guard usesAccounts, let store else { return nil }
        var costs = PasswordHasher.Costs()
        costs.memoryKibibytes = UInt32(clamping: passwordMemory >> 10)
        costs.passes = UInt32(clamping: passwordPasses)
        var limits = AccountLimits()
        limits.codesMax = smsPerHourMax
        limits.codeRegions = Set(smsRegions)
        return Accounts(store, PasswordHasher(costs: costs), limits: limits, codes: codeSending(logger))
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
