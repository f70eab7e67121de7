/// Lets everybody in. What is shown as a token is taken as a name if it may be one.
package struct OpenVerifier: TokenVerifier {
    private let limits: IdentityLimits

    package init(limits: IdentityLimits = IdentityLimits()) {
        self.limits = limits
    }

    /// Nobody is refused, since a client that is made for a server with real tokens shall run here too: what is too
    /// long for a name, like such a token, makes a participant without one.
    package func verify(
        _ token: String?, now: Int64, _ done: @escaping @Sendable (Result<VerifiedToken, TokenError>) -> Void
    ) {
        // Whoever gives the same name is the same person: who comes back after a moment is who was there before.
        let name = token.flatMap(name)
        let subject = name ?? Self.anonymous()
        done(
            .success(
                VerifiedToken(subject: subject, name: name, email: nil, expiresAt: nil, claims: Array("{}".utf8))))
    }

    private func name(_ text: String) -> String? {
        // Four bytes is the most that a scalar has; the look at the bytes spares counting the scalars of a long text.
        guard text.utf8.count <= 4 * limits.nameScalarsMax, text.unicodeScalars.count <= limits.nameScalarsMax else {
            return nil
        }
        return DisplayName.cleaned(text, scalarsMax: limits.nameScalarsMax)
    }

    /// 96 random bits: no two participants ever get the same, and nobody guesses another's.
    private static func anonymous() -> String {
        var id = "anon-"
        for _ in 0..<12 {
            let byte = UInt8.random(in: .min ... .max)
            id += String(byte >> 4, radix: 16) + String(byte & 15, radix: 16)
        }
        return id
    }
}
