import Identity
import Store
import Wire

/// A refresh token: the id of its session, a secret, and a tag that shows that this server made it.
///
/// A session has a random key, and each token's secret is made with it from the secret before. So a client that repeats a
/// refresh gets the same token again, although the store keeps only the hash of the newest. Neither the store alone nor an
/// old token alone is enough to make the next one. The tag tells a token that was replaced, which somebody else must have
/// used, from a guess, which ends no session.
struct RefreshToken: Equatable {
    let session: String
    let secret: [UInt8]
    private let tag: [UInt8]

    private static let secretCount = 32
    private static let tagCount = 16

    /// The first of a session. Nil only when libcrypto fails.
    init?(session: String, key: String) {
        self.init(session: session, secret: RandomBytes.make(Self.secretCount), key: key)
    }

    private init?(session: String, secret: [UInt8], key: String) {
        guard let tag = Self.tag(secret, key: key) else { return nil }
        (self.session, self.secret, self.tag) = (session, secret, tag)
    }

    /// Nil for a text that has not the form of a token.
    init?(_ text: String) {
        guard text.utf8.count <= 256 else { return nil }
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 2, !parts[0].isEmpty, let bytes = Base64URL.decode(Array(parts[1].utf8).span),
            bytes.count == Self.secretCount + Self.tagCount
        else { return nil }
        session = String(parts[0])
        secret = Array(bytes.prefix(Self.secretCount))
        tag = Array(bytes.suffix(Self.tagCount))
    }

    var text: String { "\(session).\(Base64URL.text(secret + tag))" }

    /// What the store keeps of it.
    var hash: String? { SHA256Digest.of(secret).map(Base64URL.text) }

    /// Whether this server made it for the session with that key.
    func isGenuine(key: String) -> Bool {
        guard let right = Self.tag(secret, key: key) else { return false }
        return zip(right, tag).reduce(0) { $0 | ($1.0 ^ $1.1) } == 0
    }

    /// The token that replaces it.
    func next(key: String) -> RefreshToken? {
        guard let next = HMACSHA256.code(key: Array(key.utf8), message: Array("next".utf8) + secret) else { return nil }
        return RefreshToken(session: session, secret: next, key: key)
    }

    /// The form in which the store keeps the token. Nil only when libcrypto fails.
    func secret(key: String, _ client: AccountClient) -> RefreshSecret? {
        let network = client.address?.network(v6Bits: 56).description ?? ""
        guard let hash, let mark = HMACSHA256.code(key: Array(key.utf8), message: Array("network \(network)".utf8))
        else { return nil }
        return RefreshSecret(
            key: key, hash: hash, network: Base64URL.text(Array(mark.prefix(Self.tagCount))), rotatedAt: client.now)
    }

    private static func tag(_ secret: [UInt8], key: String) -> [UInt8]? {
        HMACSHA256.code(key: Array(key.utf8), message: Array("tag".utf8) + secret).map { Array($0.prefix(tagCount)) }
    }
}
