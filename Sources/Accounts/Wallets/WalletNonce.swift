import Identity
import Store
import Wire

/// The nonce of a wallet's message. As with challenges the server keeps none: a nonce says until when it is good, under a code
/// over that, its purpose, the address and the person, which only this server's keys make. It has letters and digits alone, as
/// EIP-4361 wants it, and is short, because people see it.
struct WalletNonce: Sendable {
    /// What the nonce is good for.
    struct Use: Sendable {
        let purpose: WalletUse
        /// The person that connects the wallet; empty for a sign-up and a sign-in.
        let person: String
        let address: WalletAddress

        init(_ purpose: WalletUse, _ person: String, _ address: WalletAddress) {
            (self.purpose, self.person, self.address) = (purpose, person, address)
        }
    }

    private static let randomCount = 10
    private static let codeCount = 16

    let endsAt: Int64
    let keyID: String
    /// Makes the nonce unique.
    let random: [UInt8]
    private let code: [UInt8]

    /// Nil when libcrypto fails.
    init?(for use: Use, endsAt: Int64, key: AccessKey) {
        (self.endsAt, keyID, random) = (endsAt, key.id, RandomBytes.make(Self.randomCount))
        guard let code = Self.code(use, endsAt, random, key) else { return nil }
        self.code = code
    }

    /// Nil for text without the form of a nonce. Its code is still to be checked.
    init?(_ text: String) {
        let head = 4 + Self.randomCount + Self.codeCount
        guard text.utf8.count <= 256, let bytes = Hex.bytes(text), bytes.count > head else { return nil }
        endsAt = bytes.prefix(4).reduce(0) { $0 << 8 | Int64($1) }
        random = Array(bytes[4..<4 + Self.randomCount])
        code = Array(bytes[4 + Self.randomCount..<head])
        keyID = String(decoding: bytes[head...], as: UTF8.self)
    }

    var text: String {
        let time = (0..<4).map { UInt8(truncatingIfNeeded: endsAt >> (24 - Int64($0) * 8)) }
        return Hex.text(time + random + code + Array(keyID.utf8))
    }

    var once: Allowance { .once("wallet:\(Hex.text(random))") }

    func isGenuine(for use: Use, _ key: AccessKey) -> Bool {
        guard let right = Self.code(use, endsAt, random, key) else { return false }
        return zip(right, code).reduce(0) { $0 | ($1.0 ^ $1.1) } == 0
    }

    private static func code(_ use: Use, _ endsAt: Int64, _ random: [UInt8], _ key: AccessKey) -> [UInt8]? {
        let message = "wallet \(use.purpose.rawValue) \(use.person) \(use.address.text) \(endsAt) \(Hex.text(random))"
        return HMACSHA256.code(key: key.secret, message: Array(message.utf8)).map { Array($0.prefix(codeCount)) }
    }
}
