/// Every bound of this module, with what happens past it. Times are of a clock that never goes back.
package struct IdentityLimits: Sendable {
    /// Tokens of providers have one or two kilobytes. A longer one is refused before it is read.
    package var tokenBytesMax = 8 * 1024
    /// A subject is part of every event, as the user's id. A token with a longer one is refused.
    package var subjectBytesMax = 128
    /// A name is cut to this many Unicode scalars.
    package var nameScalarsMax = 64
    /// A longer e-mail address is left out.
    package var emailBytesMax = 254
    /// A token with a longer key id is refused; a key with a longer one is left out of the set.
    package var keyIDBytesMax = 256

    /// The keys of one provider; a set with more is refused. Providers have two to ten.
    package var keysMax = 64
    /// A larger answer of the key server is refused.
    package var keySetBytesMax = 256 * 1024
    /// The head of the key server's answer; a larger one is refused.
    package var responseHeadBytesMax = 16 * 1024
    /// How long one fetch may take, from the lookup of the name to the last byte.
    package var fetchMilliseconds: Int64 = 10_000
    /// The least time between the beginnings of two fetches, whatever tokens arrive. A token that needs the next fetch
    /// waits for it.
    package var refetchMilliseconds: Int64 = 5_000
    /// Keys older than this are fetched anew when one is used, so that a withdrawn key becomes invalid.
    package var refreshMilliseconds: Int64 = 10 * 60_000
    /// While the key server is down, keys are used up to this age. After that no token can be verified.
    package var keysAgeMillisecondsMax: Int64 = 24 * 3_600_000
    /// How many tokens may wait for a fetch. Clients with further tokens are told to come back later.
    package var waitersMax = 1_024

    /// RFC 7518, section 3.3. A smaller key is left out of the set.
    package var rsaBitsMin = 2_048
    /// The cost of a signature grows with the key. A larger key is left out of the set.
    package var rsaBitsMax = 8_192

    package init() {}

    func assertRelations() {
        precondition(fetchMilliseconds > 0 && refetchMilliseconds > 0, "a fetch and the pause after it take some time")
        precondition(refreshMilliseconds >= refetchMilliseconds, "keys are not refreshed faster than they are fetched")
        precondition(keysAgeMillisecondsMax > refreshMilliseconds, "keys are refreshed before they are too old to use")
        precondition(waitersMax > 0 && keysMax > 0 && tokenBytesMax > 0, "a bound of zero lets nobody in")
    }
}
