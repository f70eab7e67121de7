/// Every bound of accounts, its unit last in its name.
package struct AccountLimits: Sendable {
    package var passwordCharactersMin = 8

    /// How long a session without a refresh lasts.
    package var sessionSecondsMax: Int64 = 60 * 86_400
    /// How long a client may repeat a refresh whose answer it did not receive: longer than clients wait for an answer.
    package var refreshRepeatSecondsMax: Int64 = 60

    /// Attempts with one e-mail address from one network address, in a minute.
    package var attemptsPerMinuteMax = 10
    /// Attempts from one network address.
    package var addressAttemptsPerMinuteMax = 60
    /// Attempts with one e-mail address from all network addresses from which its owner has not signed in.
    package var emailAttemptsPerMinuteMax = 30
    /// Network addresses from which a person has signed in that are remembered at a time, and for how long.
    package var ownAddressesMax = 64
    package var ownAddressSecondsMax: Int64 = 30 * 86_400
    /// How long a client has to sign a challenge.
    package var challengeSecondsMax: Int64 = 300
    /// How long after a sign-in a person without a password may add a passkey.
    package var freshSessionSecondsMax: Int64 = 600
    /// How long a one-time code may be used.
    package var codeSecondsMax: Int64 = 600
    /// The time between two codes for one telephone number or e-mail address.
    package var codePauseSecondsMin: Int64 = 30
    /// Codes that are sent to one telephone number or e-mail address, in an hour.
    package var codesOfRecipientMax = 5
    /// The same in a day: each code is six digits, of which a few may be tried.
    package var codesOfRecipientPerDayMax = 10
    /// Codes that are sent for one network address, in an hour. Many users of a mobile network may share one.
    package var codesOfAddressMax = 20
    /// Codes that are sent for one network (/24 of IPv4, /48 of IPv6), in an hour.
    package var codesOfNetworkMax = 60
    /// Texts with codes that are sent to everybody, in an hour: the provider wants money for each.
    package var textsMax = 500
    /// Letters that everybody asks for, in an hour.
    package var lettersMax = 500
    /// Letters to one person about what has happened to the account, in a day.
    package var noticesPerDayMax = 20
    /// Wrong codes that clients of one network address try, in an hour.
    package var triesOfAddressMax = 60
    /// Signatures about which contracts are asked, in an hour: the provider of the chain's node may want money for each.
    package var contractQuestionsMax = 600
    /// The same for one network address.
    package var contractQuestionsOfAddressMax = 60
    /// The countries whose telephone numbers get codes; empty for all.
    package var codeRegions: Set<String> = []

    package init() {}
}
