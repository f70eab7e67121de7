/// What a client must present to connect.
package enum AuthMode: String, CaseIterable, Sendable {
    /// Nothing: every client is an anonymous participant.
    case open
    /// A token signed with a secret that the server shares.
    case hs256
    /// A token of an OpenID provider, whose public keys the server fetches.
    case jwks
    /// A token of an account of this server.
    case accounts
}
