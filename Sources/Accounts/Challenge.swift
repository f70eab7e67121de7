import Identity
import Store
import Wire

/// A text that a client signs, once and within minutes. The server keeps none of those that it gives out: a challenge says
/// what it is for, under a code that only this server's keys make. The store keeps those that were used.
struct Challenge: Sendable {
    enum Purpose: String, Sendable {
        case signUp = "sign-up"
        case signIn = "sign-in"
        case addPasskey = "add-passkey"
    }

    let purpose: Purpose
    /// The id of the person that the answer is about; empty for a sign-in.
    let person: String
    let endsAt: Int64
    let nonce: String
    let keyID: String

    init(_ purpose: Purpose, of person: String, endsAt: Int64, keyID: String) {
        self.purpose = purpose
        self.person = person
        self.endsAt = endsAt
        self.keyID = keyID
        nonce = Base64URL.text(RandomBytes.make(15))
    }

    var once: Allowance { .once("challenge:\(nonce)") }

    private var message: [UInt8] {
        Array("challenge \(purpose.rawValue) \(person) \(endsAt) \(nonce) \(keyID)".utf8)
    }

    /// Nil when libcrypto fails.
    func text(signedWith key: AccessKey) -> String? {
        HMACSHA256.code(key: key.secret, message: message).map { Base64URL.text(message + $0) }
    }

    /// A challenge with its code, which is still to be checked.
    struct Unchecked {
        let challenge: Challenge
        private let message: [UInt8]
        private let code: [UInt8]

        /// Nil for a text that has not the form of a challenge.
        init?(_ text: String) {
            guard text.utf8.count <= 512, let bytes = Base64URL.decode(Array(text.utf8).span),
                bytes.count > HMACSHA256.bytesCount
            else { return nil }
            message = Array(bytes.dropLast(HMACSHA256.bytesCount))
            code = Array(bytes.suffix(HMACSHA256.bytesCount))
            let parts = message.split(separator: UInt8(ascii: " "), omittingEmptySubsequences: false).map {
                String(decoding: $0, as: UTF8.self)
            }
            guard parts.count == 6, parts[0] == "challenge", let purpose = Purpose(rawValue: parts[1]),
                let endsAt = Int64(parts[3])
            else { return nil }
            challenge = Challenge(purpose, person: parts[2], endsAt: endsAt, nonce: parts[4], keyID: parts[5])
        }

        func isGenuine(_ key: AccessKey) -> Bool { HMACSHA256.matches(code, key: key.secret, message: message) }
    }

    private init(_ purpose: Purpose, person: String, endsAt: Int64, nonce: String, keyID: String) {
        self.purpose = purpose
        self.person = person
        self.endsAt = endsAt
        self.nonce = nonce
        self.keyID = keyID
    }
}

extension Accounts {
    func newChallenge(
        _ purpose: Challenge.Purpose, of person: String = "", now: Int64
    ) async throws(AccountFault) -> String {
        let key = try await keys.current(now: now)
        let challenge = Challenge(purpose, of: person, endsAt: now + limits.challengeSecondsMax, keyID: key.id)
        guard let text = challenge.text(signedWith: key) else { throw .busy }
        return text
    }

    /// The challenge of a text, if this server gave it out for that purpose, its time has not ended and nobody has used it.
    /// Callers check a signature only afterwards, so a void challenge costs no check.
    func challenge(
        _ text: String, for purpose: Challenge.Purpose, now: Int64
    ) async throws(AccountFault) -> Challenge {
        guard let unchecked = Challenge.Unchecked(text),
            let key = try await keys.key(unchecked.challenge.keyID, now: now), unchecked.isGenuine(key),
            unchecked.challenge.purpose == purpose, unchecked.challenge.endsAt > now,
            try await !isUsedUp(unchecked.challenge.once, now: now)
        else { throw .wrongChallenge }
        return unchecked.challenge
    }

    /// Uses the challenge up. Throws when it was used before.
    func use(_ challenge: Challenge, now: Int64) async throws(AccountFault) {
        guard try await isFirstUse(challenge.once, now: now) else { throw .wrongChallenge }
    }
}
