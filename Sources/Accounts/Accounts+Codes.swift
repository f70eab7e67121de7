import Carriers
import Identity
import Store
import Threads
import Transport

/// Signing in with a telephone number and a one-time code.
extension Accounts {
    /// Sends a code to a telephone number, in place of the one that was sent before. Answers the code itself where
    /// developers see it. Whether somebody has an account with the number makes no difference.
    package func sendCode(to phone: PhoneNumber, _ client: AccountClient) async throws(AccountFault) -> String? {
        do throws(AccountFault) {
            let shown = try await sendUncounted(to: phone, client)
            codeTotals.count(.sent)
            return shown
        } catch {
            if let end = CodeEnd(error) { codeTotals.count(end) }
            throw error
        }
    }

    private func sendUncounted(
        to phone: PhoneNumber, _ client: AccountClient
    ) async throws(AccountFault) -> String? {
        guard limits.codeRegions.isEmpty || limits.codeRegions.contains(phone.region) else { throw .unreachable }
        if case .off = codes { throw .noCodes }
        try await store.told { $0.spend(sending(to: phone, client), at: client.now, then: $1) }
        let code = if case .shown = codes { "123456" } else { Self.newCode() }
        let key = try await keys.current(now: client.now)
        let recipient = Self.recipient(phone)
        guard let hash = Self.hash(code, recipient, key) else { throw .busy }
        let record = CodeRecord(
            recipient: recipient, signingKey: key.id, hash: hash, address: client.countedAddress,
            endsAt: client.now + limits.codeSecondsMax)
        guard case .texts(let courier) = codes else {
            try await store.told { $0.keepCode(record, then: $1) }
            return code
        }
        let minutes = limits.codeSecondsMax / 60
        let text = CarriedText(to: phone.text, "\(code) is your code. It can be used for \(minutes) minutes.")
        switch await courier.send(text) {
        // The code before stays good until the provider has taken this one.
        case .sent: try await store.told { $0.keepCode(record, then: $1) }
        case .unreachable: throw .unreachable
        case .failed: throw .notSent
        }
        return nil
    }

    /// Signs in whoever got the code; at the first time it makes an account.
    package func signIn(
        _ phone: PhoneNumber, code: String, _ client: AccountClient
    ) async throws(AccountFault) -> SignIn {
        let tries = client.address.map { Allowance("tries:\($0)", most: limits.triesOfAddressMax, seconds: 3_600) }
        if let tries { try await store.told { $0.check([tries], at: client.now, then: $1) } }
        guard try await isRight(code, phone, client) else {
            if let tries { try await store.told { $0.spend([tries], at: client.now, then: $1) } }
            throw .wrongCode
        }
        let new = NewPerson(id: Self.newID(), name: "", email: "", passwordHash: nil, at: client.now)
        let person = try await store.told { $0.person(with: Credential(.phone, phone.text), orNew: new, then: $1) }
        return try await beginSession(of: person, client)
    }

    private func isRight(
        _ code: String, _ phone: PhoneNumber, _ client: AccountClient
    ) async throws(AccountFault) -> Bool {
        let recipient = Self.recipient(phone)
        let sent = try await store.told { $0.code(of: recipient, at: client.now, then: $1) }
        guard let sent, let key = try await keys.key(sent.signingKey, now: client.now),
            let hash = Self.hash(code, recipient, key)
        else { return false }
        return try await store.told {
            $0.tryCode(of: recipient, hash: hash, from: client.countedAddress, at: client.now, then: $1)
        }
    }

    // MARK: Limits

    static var allCodes: String { "codes" }

    private func sending(to phone: PhoneNumber, _ client: AccountClient) -> [Allowance] {
        var allowances = [
            Allowance(Self.allCodes, most: limits.codesMax, seconds: 3_600),
            Allowance("codes:\(phone.text)", most: limits.codesOfNumberMax, seconds: 3_600),
            Allowance("day:\(phone.text)", most: limits.codesOfNumberPerDayMax, seconds: 86_400),
            Allowance("code:\(phone.text)", most: 1, seconds: limits.codePauseSecondsMin),
        ]
        if let address = client.address {
            allowances += [
                Allowance("codes:\(address)", most: limits.codesOfAddressMax, seconds: 3_600),
                Allowance("codes:\(address.network)", most: limits.codesOfNetworkMax, seconds: 3_600),
            ]
        }
        return allowances
    }

    // MARK: Codes

    private static func recipient(_ phone: PhoneNumber) -> String { "sign-in:\(phone.text)" }

    private static func newCode() -> String {
        var generator = SystemRandomNumberGenerator()
        return String(String(1_000_000 + Int.random(in: 0..<1_000_000, using: &generator)).dropFirst())
    }

    /// Six digits are soon guessed by somebody who knows the hash and the key. Both are in the store, for ten minutes.
    private static func hash(_ code: String, _ recipient: String, _ key: AccessKey) -> String? {
        HMACSHA256.code(key: key.secret, message: Array("code \(recipient) \(code)".utf8)).map(Base64URL.text)
    }
}

extension CodeEnd {
    /// Nil for a fault that says nothing of codes, such as that of a store.
    fileprivate init?(_ fault: AccountFault) {
        switch fault {
        case .unreachable: self = .unreachable
        case .notSent: self = .failed
        case .tooManyAttempts: self = .limited
        case .codesUsedUp: self = .usedUp
        default: return nil
        }
    }
}

extension AccountClient {
    fileprivate var countedAddress: String { address.map { "\($0)" } ?? "" }
}

extension IPAddress {
    /// The network that the address is probably one of: /24 of IPv4, /48 of IPv6.
    fileprivate var network: String {
        switch self {
        case .v4(let bits): "\(IPAddress.v4(bits & ~255))/24"
        case .v6(let high, _): "\(IPAddress.v6(high & ~65_535, 0))/48"
        }
    }
}
