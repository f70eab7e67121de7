import Carriers
import Identity
import Store
import Threads
import Transport
import Wire

/// Signing in with a telephone number and a one-time code.
extension Accounts {
    /// Sends a code to a telephone number, in place of the one that was sent before. Answers the code itself where
    /// developers see it. Whether the number has an account makes no difference.
    package func sendCode(to phone: PhoneNumber, _ client: AccountClient) async throws(AccountFault) -> String? {
        try await counted(.text) { () async throws(AccountFault) in try await sendUncounted(to: phone, client) }
    }

    private func sendUncounted(
        to phone: PhoneNumber, _ client: AccountClient
    ) async throws(AccountFault) -> String? {
        guard limits.codeRegions.isEmpty || limits.codeRegions.contains(phone.region) else { throw .unreachable }
        if case .off = codes { throw .noCodes }
        try await spend(to: phone.text, by: .text, client)
        let shown = if case .shown = codes { "123456" } else { String?.none }
        let code = try await newCode(shown, for: Self.recipient(phone), client)
        guard case .texts(let courier) = codes else {
            try await store.told { $0.keepCode(code.record, then: $1) }
            return code.digits
        }
        let text = "\(code.digits) is your code. It can be used for \(limits.codeSecondsMax / 60) minutes."
        // The code before stays good until the provider has taken this one.
        try await send(CarriedText(to: phone.text, text), by: courier)
        try await store.told { $0.keepCode(code.record, then: $1) }
        return nil
    }

    /// Signs in the person that got the code. The first sign-in with a number makes its account.
    package func signIn(
        _ phone: PhoneNumber, code: String, _ client: AccountClient
    ) async throws(AccountFault) -> SignIn {
        try await use(code, of: Self.recipient(phone), client) {}
        let new = NewPerson(id: Self.newID(), name: "", email: "", passwordHash: nil, at: client.now)
        let person = try await store.told { $0.person(with: Credential(.phone, phone.text), orNew: new, then: $1) }
        return try await beginSession(of: person, client)
    }

    private static func recipient(_ phone: PhoneNumber) -> String { CodeRecipient.signIn(phone: phone.text) }
}

/// One-time codes of all kinds. A recipient names what a code is for, and to whom it goes.
extension Accounts {
    struct NewCode: Sendable {
        let digits: String
        let record: CodeRecord
    }

    func newCode(
        _ digits: String? = nil, for recipient: String, _ client: AccountClient
    ) async throws(AccountFault) -> NewCode {
        let digits = digits ?? Self.newDigits()
        let key = try await keys.current(now: client.now)
        guard let hash = Self.hash(digits, recipient, key) else { throw .busy }
        return NewCode(
            digits: digits,
            record: CodeRecord(
                recipient: recipient, signingKey: key.id, hash: hash, address: client.countedAddress,
                endsAt: client.now + limits.codeSecondsMax))
    }

    func send(_ text: CarriedText, by courier: Courier) async throws(AccountFault) {
        switch await courier.send(text) {
        case .sent: return
        case .unreachable: throw .unreachable
        case .failed: throw .notSent
        }
    }

    /// Uses a code up. Throws when it is not the one that was sent, or cannot be used any more.
    ///
    /// - Parameter prepare: makes what is needed if the code is right. It is made for every code, and before one is compared:
    ///   otherwise its time tells which code is right. The tries of a network address bound how often.
    func use<Prepared: Sendable>(
        _ digits: String, of recipient: String, _ client: AccountClient,
        preparing prepare: () async throws(AccountFault) -> Prepared
    ) async throws(AccountFault) -> Prepared {
        let tries = Allowance(
            "tries:\(client.countedAddress)", most: client.address == nil ? .max : limits.triesOfAddressMax,
            seconds: 3_600)
        // A flood of refused tries does not reach the thread that writes, nor those that hash.
        try await store.told { $0.check([tries], at: client.now, then: $1) }
        let prepared = try await prepare()
        // If the operator has revoked the key of a code, the code is not right any more.
        var hashes: [String: String] = [:]
        for key in try await keys.all(now: client.now) {
            guard let hash = Self.hash(digits, recipient, key) else { throw .busy }
            hashes[key.id] = hash
        }
        let isRight = try await store.told { [hashes] in
            $0.tryCode(
                of: recipient, hashes: hashes, from: client.countedAddress, counting: tries, at: client.now, then: $1)
        }
        guard isRight else { throw .wrongCode }
        return prepared
    }

    // MARK: Limits

    /// Counts what becomes of a request for a code.
    func counted<Value>(
        _ way: CodeWay, _ send: () async throws(AccountFault) -> Value
    ) async throws(AccountFault) -> Value {
        do throws(AccountFault) {
            let value = try await send()
            codeTotals.count(.sent, by: way)
            return value
        } catch {
            if let end = CodeEnd(error) { codeTotals.count(end, by: way) }
            throw error
        }
    }

    /// Counts a code against the limits of whoever gets it, of the client and of all.
    ///
    /// - Parameter target: the telephone number or the e-mail address, with the small letters of ASCII. All codes to it count
    ///   together, whoever asks and whatever they are for: each is one more chance to guess.
    func spend(to target: String, by way: CodeWay, _ client: AccountClient) async throws(AccountFault) {
        var allowances = [
            Allowance(Self.all(way), most: way == .text ? limits.textsMax : limits.lettersMax, seconds: 3_600),
            Allowance("codes:\(target)", most: limits.codesOfRecipientMax, seconds: 3_600),
            Allowance("day:\(target)", most: limits.codesOfRecipientPerDayMax, seconds: 86_400),
            Allowance("code:\(target)", most: 1, seconds: limits.codePauseSecondsMin),
        ]
        if let address = client.address {
            allowances += [
                Allowance("\(way)s:\(address)", most: limits.codesOfAddressMax, seconds: 3_600),
                Allowance("\(way)s:\(address.network())", most: limits.codesOfNetworkMax, seconds: 3_600),
            ]
        }
        try await store.told { $0.spend(allowances, at: client.now, then: $1) }
    }

    /// The name of the allowance of all codes that go one way.
    static func all(_ way: CodeWay) -> String { "\(way)s" }

    // MARK: Digits

    private static func newDigits() -> String {
        var generator = SystemRandomNumberGenerator()
        return String(String(1_000_000 + Int.random(in: 0..<1_000_000, using: &generator)).dropFirst())
    }

    /// A thief that has the hash and the key soon guesses six digits. Both are in the store, for ten minutes.
    private static func hash(_ digits: String, _ recipient: String, _ key: AccessKey) -> String? {
        HMACSHA256.code(key: key.secret, message: Array("code \(recipient) \(digits)".utf8)).map(Base64URL.text)
    }
}

extension CodeEnd {
    /// Nil for a fault that says nothing of codes, such as that of a store.
    init?(_ fault: AccountFault) {
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
    var countedAddress: String { address.map { "\($0)" } ?? "" }
}
