import Store
import Transport

/// Bounds attempts to sign in, so that passwords cannot be guessed. The store counts them for all nodes. A network address
/// from which a person has signed in is not counted with the strangers of that person. So strangers on other addresses
/// cannot lock the owner out.
extension Accounts {
    /// Counts an attempt, or throws when it has to wait.
    ///
    /// - Parameters:
    ///   - name: the e-mail address, or the address of a wallet.
    ///   - person: the person that has it. The work is the same when nobody has it.
    func countAttempt(
        with name: String, of person: String?, _ client: AccountClient
    ) async throws(AccountFault) {
        let name = name.foldedASCII
        let isOwner = try await isUsedUp(marker(of: person ?? "", client), now: client.now)
        var allowances = [
            Self.attempts("pair", "\(client.countedAddress) \(name)", most: limits.attemptsPerMinuteMax)
        ]
        if !isOwner { allowances.append(Self.attempts("name", name, most: limits.emailAttemptsPerMinuteMax)) }
        try await countAttempt(client, allowances)
    }

    /// Counts an attempt of a client, or throws when it has to wait.
    func countAttempt(_ client: AccountClient, _ others: [Allowance] = []) async throws(AccountFault) {
        var allowances = others
        if client.address != nil {
            allowances.append(
                Self.attempts("address", client.countedAddress, most: limits.addressAttemptsPerMinuteMax))
        }
        // A flood of refused attempts does not reach the thread that writes.
        try await store.told { [allowances] in $0.check(allowances, at: client.now, then: $1) }
        try await store.told { [allowances] in $0.spend(allowances, at: client.now, then: $1) }
    }

    /// A person has signed in with a password, or has shown an address to be its own.
    func remember(_ client: AccountClient, of person: String) async throws(AccountFault) {
        let marker = marker(of: person, client)
        if try await isUsedUp(marker, now: client.now) { return }
        let all = Allowance(
            "owner:\(person)", most: limits.ownAddressesMax, seconds: limits.ownAddressSecondsMax, person: person)
        // Refused when the person has used many addresses, or another request has just done it.
        _ = try await isLeft { $0.spend([all, marker], at: client.now, then: $1) }
    }

    /// A mark that a person has signed in from a network address.
    private func marker(of person: String, _ client: AccountClient) -> Allowance {
        Allowance(
            "owner:\(person):\(client.countedAddress)", most: 1, seconds: limits.ownAddressSecondsMax, person: person)
    }

    /// The attempts of a minute. Strangers choose names, but the store counts under keyed hashes of 128 bits (`AllowanceHasher`):
    /// nobody can compute a name whose attempts count as those of somebody else.
    private static func attempts(_ kind: String, _ subject: String, most: Int) -> Allowance {
        Allowance("attempts:\(kind):\(subject)", most: most, seconds: 60)
    }
}

extension String {
    /// With the small letters of ASCII instead of its capitals, as the store compares e-mail addresses.
    var foldedASCII: String {
        String(decoding: utf8.map { UInt8(ascii: "A")...UInt8(ascii: "Z") ~= $0 ? $0 | 0x20 : $0 }, as: UTF8.self)
    }
}
