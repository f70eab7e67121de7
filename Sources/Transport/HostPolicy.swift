/// The names in `Host` under which a server answers.
///
/// It defends against DNS rebinding: the owner of a page makes the page's own name point to the server's address. The
/// browser then takes page and server for one origin, but still sends that name in `Host`. Only names can be
/// redirected: an address in `Host` is the address to which the browser has connected.
public enum HostPolicy: Sendable, Equatable {
    /// All names, for servers that ask for tokens: such a page has no token.
    case any
    /// The names of this machine's loopback, and these. `anyAddress`: also all IP addresses.
    case known(Set<HostPort.Host>, anyAddress: Bool)

    /// A request without a host uses HTTP/1.0, which no browser does.
    public func allows(_ text: String?) -> Bool {
        guard case .known(let hosts, let anyAddress) = self, let text else { return true }
        guard let host = HostPort(text)?.host else { return false }
        if host.isLoopback || hosts.contains(host) { return true }
        if case .address = host { return anyAddress }
        return false
    }
}
