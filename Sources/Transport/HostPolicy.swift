/// Under which names, as clients write them in `Host`, a server answers.
///
/// It is the defence against DNS rebinding: the owner of a page has the page's own name lead to the server's address. The
/// browser then takes page and server for one origin, but still writes that name in `Host`. Only names can be made to lead
/// elsewhere; an address in `Host` is the address that the browser connected to.
public enum HostPolicy: Sendable, Equatable {
    /// Under every name: for servers that ask for tokens, of which the page has none.
    case any
    /// Under the names of this machine's loopback and under these. `anyAddress`: also under all IP addresses.
    case known(Set<HostPort.Host>, anyAddress: Bool)

    /// A request without a host is of HTTP/1.0, which no browser speaks.
    public func allows(_ text: String?) -> Bool {
        guard case .known(let hosts, let anyAddress) = self, let text else { return true }
        guard let host = HostPort(text)?.host else { return false }
        if host.isLoopback || hosts.contains(host) { return true }
        if case .address = host { return anyAddress }
        return false
    }
}
