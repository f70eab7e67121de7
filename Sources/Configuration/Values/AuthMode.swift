/// What a client must show to come in.
package enum AuthMode: String, CaseIterable, Sendable {
    /// Nothing: everybody is an anonymous participant.
    case open
    /// A token signed with a secret that the server shares.
    case hs256
    /// A token of an OpenID provider, whose public keys the server fetches.
    case jwks
}
