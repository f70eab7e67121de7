/// One-time codes that were sent to people, and limits that all nodes share.
package protocol CodeStore: Sendable {
    /// Keeps a code, in place of the one that its recipient had.
    func keepCode(_ code: CodeRecord, then answer: @escaping Answer<Void>)
    /// Counts a try, then compares. Answers whether the code is right; a right code is used up. No other call compares codes,
    /// and none gives a hash away.
    ///
    /// After `StoreLimits.codeTriesMax` tries a code is void. Tries from the address that asked for it are counted apart, so
    /// that others cannot spoil it. A void code, one that has ended and that of a recipient without a code are compared with
    /// nothing, by the same work: the time of an answer tells nothing.
    ///
    /// - Parameters:
    ///   - hashes: what the code's hash is if it is the right one, for each signing key by its id.
    ///   - tries: what a wrong try uses one of. Throws `usedUp`, and compares nothing, when none is left.
    func tryCode(
        of recipient: String, hashes: [String: String], from address: String, counting tries: Allowance, at now: Int64,
        then answer: @escaping Answer<Bool>)

    /// Uses one of each allowance; none if one of them is used up: then it throws `usedUp`, with the longest time to wait.
    func spend(_ allowances: [Allowance], at now: Int64, then answer: @escaping Answer<Void>)
    /// Throws what `spend` would throw, and uses nothing.
    func check(_ allowances: [Allowance], at now: Int64, then answer: @escaping Answer<Void>)
}

/// What a code is for, and to whom it was sent.
package enum CodeRecipient {
    package static func signIn(phone: String) -> String { "sign-in:\(phone)" }
    /// - Parameter email: with the small letters of ASCII.
    package static func newPassword(email: String) -> String { "password:\(email)" }
    package static func address(_ email: String, of person: String) -> String { addresses(of: person) + email }
    /// The beginning of all codes for addresses of a person.
    static func addresses(of person: String) -> String { "email:\(person):" }
}

package struct CodeRecord: Sendable, Equatable {
    /// A `CodeRecipient`.
    package let recipient: String
    /// The id of the signing key of the hash.
    package let signingKey: String
    package let hash: String
    /// Of the client that asked for it; empty for one that is not counted.
    package let address: String
    package let endsAt: Int64

    package init(recipient: String, signingKey: String, hash: String, address: String, endsAt: Int64) {
        self.recipient = recipient
        self.signingKey = signingKey
        self.hash = hash
        self.address = address
        self.endsAt = endsAt
    }
}

/// A limit: so many in a period that begins with the first.
package struct Allowance: Sendable, Equatable {
    package let name: String
    package let most: Int
    package let seconds: Int64
    /// The person whose account it ends with; nil for one that lasts.
    package let person: String?

    package init(_ name: String, most: Int, seconds: Int64, person: String? = nil) {
        self.name = name
        self.most = most
        self.seconds = seconds
        self.person = person
    }
}
