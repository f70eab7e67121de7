import Wire

/// The claims of a token of `rooms token`.
package struct TestToken: Sendable {
    package var subject: String
    package var name: String?
    package var email: String?
    package var issuer: String?
    package var audience: String?
    /// Seconds since 1970.
    package var issuedAt: Int64
    package var expiresAt: Int64

    package init(subject: String, issuedAt: Int64, expiresAt: Int64) {
        self.subject = subject
        self.issuedAt = issuedAt
        self.expiresAt = expiresAt
    }

    /// Whether a server accepts the text as a subject.
    package static func isSubject(_ text: String) -> Bool { TokenRules.isSubject(text, IdentityLimits()) }

    /// The token, signed for HS256; nil only when libcrypto fails.
    package func signed(secret: [UInt8]) -> String? {
        var claims: [UInt8] = []
        JSONWriter.write(into: &claims) { json in
            json.beginObject()
            json.member("sub", subject)
            let texts = [("name", name), ("email", email), ("iss", issuer), ("aud", audience)]
            for case (let key, let value?) in texts { json.member(key, value) }
            json.member("iat", Int(issuedAt))
            json.member("exp", Int(expiresAt))
            json.endObject()
        }
        var text: [UInt8] = []
        Base64URL.append(Self.header.span, to: &text)
        text.append(UInt8(ascii: "."))
        Base64URL.append(claims.span, to: &text)
        guard let signature = HMACSHA256.code(key: secret, message: text) else { return nil }
        text.append(UInt8(ascii: "."))
        Base64URL.append(signature.span, to: &text)
        return String(decoding: text, as: UTF8.self)
    }

    private static let header = Array(#"{"alg":"HS256","typ":"JWT"}"#.utf8)
}
