import Wire

/// Accepts every client. A token is used as the user's name if it can be one.
package struct OpenVerifier: TokenVerifier {
    private let limits: IdentityLimits

    package init(limits: IdentityLimits = IdentityLimits()) {
        self.limits = limits
    }

    /// Refuses no client, so that clients made for real tokens work here too. A token that is too long for a name, such
    /// as a real one, makes an anonymous participant.
    package func verify(
        _ token: String?, now: Int64, _ done: @escaping @Sendable (Result<VerifiedToken, TokenError>) -> Void
    ) {
        // The same name is the same user: a client that comes back gets its identity again.
        let name = token.flatMap(name)
        let subject = name ?? Self.anonymous()
        done(
            .success(
                VerifiedToken(subject: subject, name: name, email: nil, expiresAt: nil, claims: Array("{}".utf8))))
    }

    private func name(_ text: String) -> String? {
        // A scalar has at most four bytes. This check avoids counting the scalars of a long text.
        guard text.utf8.count <= 4 * limits.nameScalarsMax, text.unicodeScalars.count <= limits.nameScalarsMax else {
            return nil
        }
        return DisplayName.cleaned(text, scalarsMax: limits.nameScalarsMax)
    }

    /// 96 random bits: no two participants get the same name, and it cannot be guessed.
    private static func anonymous() -> String {
        "anon-" + Hex.text((0..<12).map { _ in UInt8.random(in: .min ... .max) })
    }
}
