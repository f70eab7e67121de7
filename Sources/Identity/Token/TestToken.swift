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
        return CompactToken.signed(claims, secret: secret)
    }
}
