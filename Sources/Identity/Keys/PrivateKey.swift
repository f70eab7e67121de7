import COpenSSL
import Wire

/// A private key with which this server signs tokens for other servers: RS256 with an RSA key, ES256 with an elliptic one.
///
/// libcrypto's key is never changed after it was made, so several threads may use it at once.
package final class PrivateKey: @unchecked Sendable {
    let algorithm: SignatureAlgorithm
    private let key: OpaquePointer

    /// Nil for anything but a key in PEM: RSA of at least 2,048 bits, or on the curve P-256.
    package init?(pem: [UInt8]) {
        guard let key = rooms_key_private(pem, pem.count) else { return nil }
        self.key = key
        algorithm = rooms_key_is_elliptic(key) ? .es256 : .rs256
    }

    deinit {
        EVP_PKEY_free(key)
    }

    package var isElliptic: Bool { algorithm == .es256 }

    /// A signed JSON Web Token; nil only when libcrypto fails.
    ///
    /// - Parameter claims: writes the members of the token.
    package func token(keyID: String? = nil, _ claims: (inout JSONWriter) -> Void) -> String? {
        var bytes: [UInt8] = []
        JSONWriter.write(into: &bytes) { json in
            json.beginObject()
            claims(&json)
            json.endObject()
        }
        return CompactToken.signed(bytes, algorithm: algorithm.rawValue, keyID: keyID, signature)
    }

    private func signature(of message: [UInt8]) -> [UInt8]? {
        // RSA keys of up to 8,192 bits have signatures of this size.
        var signature = [UInt8](repeating: 0, count: 1_024)
        let count = rooms_key_sign(key, message, message.count, &signature, signature.count)
        return count > 0 ? Array(signature.prefix(count)) : nil
    }
}
