import Wire

/// A JWT in compact form (RFC 7515, section 7.1), parsed and not verified yet.
struct CompactToken {
    /// The header's algorithm. Besides the key's id, this is the only part of the header that decides anything.
    let algorithm: String
    let keyID: [UInt8]?
    let claims: [UInt8]
    /// The first two parts with the dot between them, which the signature covers.
    let signedBytes: [UInt8]
    let signature: [UInt8]

    init(_ token: String?, _ limits: IdentityLimits) throws(TokenError) {
        guard let token, !token.isEmpty else { throw TokenError(.missing) }
        guard token.utf8.count <= limits.tokenBytesMax else {
            throw TokenError(.malformed, "The token is longer than \(limits.tokenBytesMax) bytes.")
        }
        let text = Array(token.utf8)
        let (header, payload, signature) = try Self.parts(of: text.span)
        guard let header = Base64URL.decode(text.span.extracting(header)),
            let claims = Base64URL.decode(text.span.extracting(payload)),
            let signature = Base64URL.decode(text.span.extracting(signature))
        else { throw TokenError(.malformed, "A part of the token is not base64url without padding.") }
        (algorithm, keyID) = try Self.read(header: header, limits)
        self.claims = claims
        self.signature = signature
        signedBytes = Array(text[..<payload.upperBound])
    }

    private static func parts(
        of text: Span<UInt8>
    ) throws(TokenError) -> (header: Range<Int>, payload: Range<Int>, signature: Range<Int>) {
        var dots: [Int] = []
        for index in text.indices where text[index] == UInt8(ascii: ".") {
            dots.append(index)
            if dots.count > 2 { break }
        }
        guard dots.count == 2, let first = dots.first, let last = dots.last else {
            throw TokenError(.malformed, "The token does not have three parts with dots between them.")
        }
        return (0..<first, first + 1..<last, last + 1..<text.count)
    }

    /// `typ` and other hints are ignored: nothing may depend on unverified statements of the signer. `crit` names
    /// extensions that a reader has to understand; this server understands none.
    private static func read(
        header: [UInt8], _ limits: IdentityLimits
    ) throws(TokenError) -> (algorithm: String, keyID: [UInt8]?) {
        guard let members = UniqueMembers(header) else {
            throw TokenError(.malformed, "The token's header is not a JSON object with each key once.")
        }
        guard members["crit"] == nil else {
            throw TokenError(.malformed, "The token's header needs an extension that this server does not have.")
        }
        guard let algorithm = members["alg"]?.string else { throw TokenError(.algorithm) }
        guard let keyID = members["kid"] else { return (algorithm, nil) }
        guard let bytes = keyID.string?.utf8, bytes.count <= limits.keyIDBytesMax else {
            throw TokenError(.malformed, "The key id in the token's header is not a text, or is too long.")
        }
        return (algorithm, Array(bytes))
    }
}

// MARK: Making

extension CompactToken {
    /// A token with these claims, a JSON object, signed for HS256; nil only when libcrypto fails.
    static func signed(_ claims: [UInt8], secret: [UInt8], keyID: String? = nil) -> String? {
        signed(claims, algorithm: "HS256", keyID: keyID) { HMACSHA256.code(key: secret, message: $0) }
    }

    /// - Parameter sign: gives the signature of the token's first two parts; nil fails.
    static func signed(
        _ claims: [UInt8], algorithm: String, keyID: String?, _ sign: ([UInt8]) -> [UInt8]?
    ) -> String? {
        var header: [UInt8] = []
        JSONWriter.write(into: &header) { json in
            json.beginObject()
            json.member("alg", algorithm)
            json.member("typ", "JWT")
            if let keyID { json.member("kid", keyID) }
            json.endObject()
        }
        var text: [UInt8] = []
        Base64URL.append(header.span, to: &text)
        text.append(UInt8(ascii: "."))
        Base64URL.append(claims.span, to: &text)
        guard let signature = sign(text) else { return nil }
        text.append(UInt8(ascii: "."))
        Base64URL.append(signature.span, to: &text)
        return String(decoding: text, as: UTF8.self)
    }
}
