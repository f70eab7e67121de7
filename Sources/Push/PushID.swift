import COpenSSL
import Store

/// The name by which a provider knows a notification again.
enum PushID {
    /// There is one notification for each user, room, type and minute, also in a copy of the store.
    static func bytes(_ push: Push) -> [UInt8] {
        digest([push.account, push.room, push.type, "\(push.at / 60)"])
    }

    /// Other parts have another: 16 bytes.
    static func digest(_ parts: [String]) -> [UInt8] {
        let text = Array(parts.map { "\($0.utf8.count):\($0)" }.joined().utf8)
        var digest = [UInt8](repeating: 0, count: Int(SHA256_DIGEST_LENGTH))
        _ = SHA256(text, text.count, &digest)
        return Array(digest.prefix(16))
    }
}
