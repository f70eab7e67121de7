import Wire

/// The checks of the claims of a token with a valid signature (RFC 7519, section 4.1).
struct TokenRules: Sendable {
    /// One of these must have made the token; empty for any.
    let issuers: [String]
    /// The token must be for one of these; empty for any.
    let audiences: [String]
    /// How many seconds the issuer's clock may be off.
    let skew: Int64
    let needsExpiry: Bool
    let limits: IdentityLimits

    func check(_ claims: [UInt8], now: Int64) throws(TokenError) -> VerifiedToken {
        guard let members = UniqueMembers(claims) else {
            throw TokenError(.malformed, "The token's claims are not a JSON object with each key once.")
        }
        let expiry = try checkTimes(members, now: Double(now))
        try checkIssuer(members["iss"])
        try checkAudience(members["aud"])
        return VerifiedToken(
            subject: try subject(members["sub"]),
            name: members["name"]?.string.flatMap { DisplayName.cleaned($0, scalarsMax: limits.nameScalarsMax) },
            email: email(members), expiresAt: expiry, claims: claims)
    }

    // MARK: Times

    private func checkTimes(_ members: UniqueMembers, now: Double) throws(TokenError) -> Int64? {
        let expiry = try Self.date(members["exp"], "exp")
        if expiry == nil, needsExpiry { throw TokenError(.malformed, "The token does not say when it expires.") }
        if let expiry, now >= expiry + Double(skew) {
            throw TokenError(.expired, expiredAt: Int64(expiry.rounded(.down)))
        }
        for name in ["nbf", "iat"] {
            guard let begin = try Self.date(members[name], name) else { continue }
            guard now + Double(skew) >= begin else { throw TokenError(.notYetValid) }
        }
        return expiry.map { Int64($0.rounded(.down)) }
    }

    /// Seconds since 1970, also with a fraction, limited to the years of a date.
    private static func date(_ claim: JSONReader?, _ name: String) throws(TokenError) -> Double? {
        guard let claim else { return nil }
        guard let seconds = claim.double else {
            throw TokenError(.malformed, "The token's \(name) is not a number.")
        }
        return min(max(seconds, 0), secondsMax)
    }

    /// The end of the year 9999, so that no computation with a claim overflows.
    private static let secondsMax = 253_402_300_799.0

    // MARK: Parties

    private func checkIssuer(_ claim: JSONReader?) throws(TokenError) {
        guard !issuers.isEmpty else { return }
        guard let text = claim?.string, issuers.contains(where: { Self.isSame(text, $0) }) else {
            throw TokenError(.issuer)
        }
    }

    /// A text or a list of texts. One of them must be this server's audience.
    private func checkAudience(_ claim: JSONReader?) throws(TokenError) {
        guard !audiences.isEmpty else { return }
        let texts = claim?.items.map { $0.map(\.string) } ?? [claim?.string]
        let isForUs = texts.contains { text in audiences.contains { Self.isSame(text ?? "", $0) } }
        guard texts.allSatisfy({ $0 != nil }), isForUs
        else { throw TokenError(.audience) }
    }

    /// Byte for byte: texts that only look or sort the same are different.
    private static func isSame(_ one: String, _ other: String) -> Bool { one.utf8.elementsEqual(other.utf8) }

    private func subject(_ claim: JSONReader?) throws(TokenError) -> String {
        guard let text = claim?.string, !text.isEmpty else { throw TokenError(.subject) }
        guard Self.isSubject(text, limits) else {
            throw TokenError(
                .subject, "The token's subject is over \(limits.subjectBytesMax) bytes or has a control character.")
        }
        return text
    }

    static func isSubject(_ text: String, _ limits: IdentityLimits) -> Bool {
        !text.isEmpty && text.utf8.count <= limits.subjectBytesMax
            && text.unicodeScalars.allSatisfy { $0.properties.generalCategory != .control }
    }

    /// Nil also when the issuer says that it has not verified the address: then the address may belong to anyone. Some
    /// issuers write `email_verified` as a text.
    private func email(_ members: UniqueMembers) -> String? {
        if let claim = members["email_verified"], claim.bool != true, claim.string != "true" { return nil }
        guard let text = members["email"]?.string, !text.isEmpty, text.utf8.count <= limits.emailBytesMax,
            text.unicodeScalars.allSatisfy(DisplayName.isPrintable)
        else { return nil }
        return text
    }
}
