/// Every bound of accounts, its unit last in its name.
package struct AccountLimits: Sendable {
    package var passwordCharactersMin = 8

    /// How long a session without a refresh lasts.
    package var sessionSecondsMax: Int64 = 60 * 86_400
    /// How long a client may repeat a refresh whose answer it did not receive: longer than clients wait for an answer.
    package var refreshRepeatSecondsMax: Int64 = 60

    /// Attempts with one e-mail address from one network address, a minute. A minute's worth may come at once.
    package var attemptsPerMinuteMax = 10
    /// Attempts from one network address.
    package var addressAttemptsPerMinuteMax = 60
    /// Attempts with one e-mail address from all network addresses from which its owner has not signed in.
    package var emailAttemptsPerMinuteMax = 30
    /// Addresses that are counted at a time. Past it: inactive ones are forgotten early.
    package var countedMax = 100_000

    package init() {}
}
