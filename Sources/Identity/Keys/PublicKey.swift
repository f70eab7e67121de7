import COpenSSL

/// The algorithms that tokens of a provider may be signed with.
enum SignatureAlgorithm: String, Sendable, CaseIterable {
    case rs256 = "RS256"
    case es256 = "ES256"
}

/// A key of a provider, ready to check signatures on any thread.
///
/// libcrypto's key is never changed after it was made, so several threads may use it at once.
final class PublicKey: @unchecked Sendable {
    let algorithm: SignatureAlgorithm
    private let key: OpaquePointer

    /// Nil when the numbers are not a key, or the key's size is out of bounds.
    init?(modulus: [UInt8], exponent: [UInt8], _ limits: IdentityLimits) {
        // This comes before any computation with the key.
        guard modulus.count <= limits.rsaBitsMax / 8 + 1, exponent.count <= 8,
            let key = rooms_key_rsa(modulus, modulus.count, exponent, exponent.count)
        else { return nil }
        self.key = key
        algorithm = .rs256
        guard limits.rsaBitsMin...limits.rsaBitsMax ~= Int(EVP_PKEY_get_bits(key)) else { return nil }
    }

    /// Nil when this is not a point of the curve P-256.
    init?(x: [UInt8], y: [UInt8]) {
        guard x.count == 32, y.count == 32, let key = rooms_key_p256(x, y) else { return nil }
        self.key = key
        algorithm = .es256
    }

    deinit {
        EVP_PKEY_free(key)
    }

    func isSignature(_ signature: [UInt8], of message: [UInt8]) -> Bool {
        rooms_key_verify(key, message, message.count, signature, signature.count)
    }
}
