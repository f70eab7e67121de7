/// Tokens with which this server tells a provider that an account has ended.
package protocol ProviderTokenStore: Sendable {
    /// Keeps a token in place of the one that the person had of the same provider. Throws `notFound("user")`.
    func keepProviderToken(_ token: ProviderToken, of person: String, then answer: @escaping Answer<Void>)
    /// Some tokens of ended accounts whose time has come. Each comes again at another time, unless it is forgotten before; after
    /// `StoreLimits.providerTokenAttemptsMax` times it is removed.
    func endedProviderTokens(at now: Int64, next: Int64, then answer: @escaping Answer<[ProviderToken]>)
    func forgetProviderToken(_ id: String, then answer: @escaping Answer<Void>)
}

package struct ProviderToken: Sendable, Equatable {
    package let id: String
    package let kind: Credential.Kind
    /// The client that the token was given to.
    package let client: String
    package let token: String

    package init(id: String, kind: Credential.Kind, client: String, token: String) {
        (self.id, self.kind, self.client, self.token) = (id, kind, client, token)
    }
}
