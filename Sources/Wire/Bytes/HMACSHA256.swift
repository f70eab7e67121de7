import COpenSSL

/// The signatures of HS256.
package enum HMACSHA256 {
    package static let bytesCount = 32

    /// Nil only when libcrypto fails, for example without memory.
    package static func code(key: [UInt8], message: [UInt8]) -> [UInt8]? {
        var code = [UInt8](repeating: 0, count: bytesCount)
        return rooms_hmac_sha256(key, key.count, message, message.count, &code) ? code : nil
    }

    /// Takes the same time whichever bytes of a wrong signature are right.
    package static func matches(_ signature: [UInt8], key: [UInt8], message: [UInt8]) -> Bool {
        guard signature.count == bytesCount, let code = code(key: key, message: message) else { return false }
        return rooms_same_bytes(signature, code, bytesCount)
    }
}

/// SHA-256.
package enum SHA256Digest {
    /// Nil only when libcrypto fails.
    package static func of(_ bytes: [UInt8]) -> [UInt8]? {
        var digest = [UInt8](repeating: 0, count: 32)
        return rooms_sha256(bytes, bytes.count, &digest) ? digest : nil
    }
}
