import COpenSSL
import Wire

/// A private key that signs JSON Web Tokens: RS256 with an RSA key, ES256 with an elliptic one.
package final class SigningKey: @unchecked Sendable {
    // libcrypto's keys may be used by several threads.
    private let key: OpaquePointer
    package let isElliptic: Bool

    /// Nil for anything but a key in PEM: RSA of at least 2,048 bits, or on the curve P-256.
    package init?(pem: [UInt8]) {
        guard let key = rooms_key_private(pem, pem.count) else { return nil }
        self.key = key
        isElliptic = rooms_key_is_elliptic(key)
    }

    deinit {
        EVP_PKEY_free(key)
    }

    /// Nil only when libcrypto fails.
    func token(keyID: String?, _ claims: (inout JSONWriter) -> Void) -> String? {
        var head: [UInt8] = []
        JSONWriter.write(into: &head) { json in
            json.beginObject()
            json.member("alg", isElliptic ? "ES256" : "RS256")
            json.member("typ", "JWT")
            if let keyID { json.member("kid", keyID) }
            json.endObject()
        }
        var body: [UInt8] = []
        JSONWriter.write(into: &body) { json in
            json.beginObject()
            claims(&json)
            json.endObject()
        }
        let signed = Self.text(head) + "." + Self.text(body)
        let message = Array(signed.utf8)
        var signature = [UInt8](repeating: 0, count: 1_024)
        let count = rooms_key_sign(key, message, message.count, &signature, signature.count)
        return count > 0 ? signed + "." + Self.text(Array(signature.prefix(count))) : nil
    }

    /// Base64 with the alphabet for URLs, without padding.
    private static func text(_ bytes: [UInt8]) -> String {
        var text: [UInt8] = []
        Base64.encode(bytes.span, into: &text)
        while text.last == UInt8(ascii: "=") { text.removeLast() }
        for index in text.indices {
            if text[index] == UInt8(ascii: "+") { text[index] = UInt8(ascii: "-") }
            if text[index] == UInt8(ascii: "/") { text[index] = UInt8(ascii: "_") }
        }
        return String(decoding: text, as: UTF8.self)
    }
}
