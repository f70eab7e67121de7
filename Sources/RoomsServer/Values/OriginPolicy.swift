/// Which web pages may talk to the server.
///
/// Programs that are not browsers send no `Origin` and are never refused for it.
public enum OriginPolicy: Hashable, Sendable {
    /// Pages that this server's own host name served: the origin's host and port are those of the `Host` header.
    case sameOrigin
    /// Pages of these origins, and no others.
    case listed(Set<String>)
    case any
}
