/// Why a token was refused. It has no part of the token.
package struct TokenError: Error, Equatable, Sendable {
    package enum Kind: String, Sendable, CaseIterable {
        /// There is no token.
        case missing
        /// It is not a JWT in compact form, or one of its parts is wrong.
        case malformed
        /// It is signed with an algorithm that this server does not accept.
        case algorithm
        case signature
        /// It is signed with a key that the provider does not publish.
        case unknownKey
        case expired
        case notYetValid
        case audience
        case issuer
        case subject
        /// It was made for another sign-in.
        case nonce
        /// The session in which it was made has ended: by a sign-out, or because its refresh token was stolen.
        case ended
        /// The provider's keys cannot be fetched at the moment. The token may be valid.
        case keysUnavailable
    }

    package let kind: Kind
    /// A sentence for the client.
    package let message: String
    /// When the token expired, in seconds since 1970; nil for other faults.
    package let expiredAt: Int64?

    package init(_ kind: Kind, _ message: String? = nil, expiredAt: Int64? = nil) {
        self.kind = kind
        self.expiredAt = expiredAt
        self.message = message ?? kind.sentence
    }

    /// The kind of the error for programs: `data.code` of a refused connection.
    package var code: String {
        switch kind {
        case .missing: "TOKEN_MISSING"
        case .expired: "TOKEN_EXPIRED"
        case .ended: "SESSION_ENDED"
        case .notYetValid: "TOKEN_NOT_YET_VALID"
        case .keysUnavailable: "KEYS_UNAVAILABLE"
        case .malformed, .algorithm, .signature, .unknownKey, .audience, .issuer, .subject, .nonce: "TOKEN_INVALID"
        }
    }

    /// Whether the same token may be accepted a little later.
    package var isTemporary: Bool { kind == .keysUnavailable || kind == .notYetValid }
}

extension TokenError.Kind {
    fileprivate var sentence: String {
        switch self {
        case .missing: "A token is needed to connect."
        case .malformed: "The token is not a valid JWT."
        case .algorithm: "The token is signed with an algorithm that this server does not accept."
        case .signature: "The token's signature is wrong."
        case .unknownKey: "The token is signed with a key that its issuer does not publish."
        case .expired: "The token has expired."
        case .notYetValid: "The token is not valid yet."
        case .audience: "The token was made for another service."
        case .issuer: "The token comes from another issuer."
        case .subject: "The token names no user."
        case .nonce: "The token was made for another sign-in."
        case .ended: "The session of the token has ended; sign in again."
        case .keysUnavailable: "The token cannot be checked at the moment; try again in a few seconds."
        }
    }
}
