import Identity
import Store
import Transport
import Wire

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
        let isOwner = try await isUsedUp(try marker(of: person ?? "", client), now: client.now)
        let key = try await keys.current(now: client.now)
        var allowances = [
            try Self.attempts("pair", "\(client.countedAddress) \(name)", key, most: limits.attemptsPerMinuteMax)
        ]
        if !isOwner { allowances.append(try Self.attempts("name", name, key, most: limits.emailAttemptsPerMinuteMax)) }
        try await countAttempt(client, allowances)
    }

    /// Counts an attempt of a client, or throws when it has to wait.
    func countAttempt(_ client: AccountClient, _ others: [Allowance] = []) async throws(AccountFault) {
        var allowances = others
        if client.address != nil {
            let key = try await keys.current(now: client.now)
            allowances.append(
                try Self.attempts("address", client.countedAddress, key, most: limits.addressAttemptsPerMinuteMax))
        }
        // A flood of refused attempts does not reach the thread that writes.
        try await store.told { [allowances] in $0.check(allowances, at: client.now, then: $1) }
        try await store.told { [allowances] in $0.spend(allowances, at: client.now, then: $1) }
    }

    /// A person has signed in with a password, or has shown an address to be its own.
    func remember(_ client: AccountClient, of person: String) async throws(AccountFault) {
        let marker = try marker(of: person, client)
        if try await isUsedUp(marker, now: client.now) { return }
        let all = Allowance(
            AllowanceName.owners(of: person), most: limits.ownAddressesMax, seconds: limits.ownAddressSecondsMax)
        do throws(AccountFault) {
            try await store.told { $0.spend([all, marker], at: client.now, then: $1) }
        } catch {
            // The person has used many addresses, or another request has just done it.
            if case .tooManyAttempts = error { return }
            throw error
        }
    }

    /// That a person has signed in from the client's address. The address itself is not stored.
    private func marker(of person: String, _ client: AccountClient) throws(AccountFault) -> Allowance {
        let hash = try Self.hash("\(person) \(client.countedAddress)").prefix(12)
        return Allowance(
            AllowanceName.owner(person, at: Base64URL.text(Array(hash))), most: 1, seconds: limits.ownAddressSecondsMax)
    }

    /// What attempts of a minute are counted in. Strangers choose names, so the hash has a key of the server: nobody can make
    /// up a name whose attempts count as those of somebody else. With a new key the minute begins anew.
    static func attempts(
        _ kind: String, _ subject: String, _ key: AccessKey, most: Int
    ) throws(AccountFault) -> Allowance {
        guard let hash = HMACSHA256.code(key: key.secret, message: Array("attempts \(kind) \(subject)".utf8)) else {
            throw .busy
        }
        return Allowance("attempts:\(kind):\(Base64URL.text(Array(hash.prefix(16))))", most: most, seconds: 60)
    }

    private static func hash(_ text: String) throws(AccountFault) -> [UInt8] {
        guard let hash = SHA256Digest.of(Array(text.utf8)) else { throw .busy }
        return hash
    }
}

extension String {
    /// With the small letters of ASCII instead of its capitals, as the store compares e-mail addresses.
    var foldedASCII: String {
        String(decoding: utf8.map { UInt8(ascii: "A")...UInt8(ascii: "Z") ~= $0 ? $0 | 0x20 : $0 }, as: UTF8.self)
    }
}
