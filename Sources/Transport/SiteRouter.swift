/// A part of a server with paths of its own.
public enum Site: Hashable, Sendable {
    /// Of clients that ask for this name, at any listener that is no site.
    case host(HostPort.Host)
    /// Of clients that come to this listener: the index of its address.
    case listener(Int)
}

/// Gives each request of a shard to the router of its site: that of the listener, that of the name in `Host`, or
/// otherwise the server's own.
public final class SiteRouter: HTTPService {
    private let own: HTTPRouter
    private var sites: [Site: HTTPRouter] = [:]
    private var hasHosts = false

    public init(_ own: HTTPRouter) {
        self.own = own
    }

    /// A site has one router.
    public func add(_ site: Site, _ router: HTTPRouter) {
        precondition(sites[site] == nil, "a site has one router")
        sites[site] = router
        if case .host = site { hasHosts = true }
    }

    public func handle(_ exchange: HTTPExchange) {
        router(for: exchange).handle(exchange)
    }

    private func router(for exchange: HTTPExchange) -> HTTPRouter {
        if sites.isEmpty { return own }
        if let listener = exchange.listener, let router = sites[.listener(listener)] { return router }
        guard hasHosts, let host = exchange.head.authority.flatMap({ HostPort($0)?.host }) else { return own }
        return sites[.host(host)] ?? own
    }

    /// Each service is told once, at however many sites it is.
    public func shardStopping() {
        var told: Set<ObjectIdentifier> = []
        for router in [own] + sites.values {
            for service in router.services where told.insert(ObjectIdentifier(service)).inserted {
                service.shardStopping()
            }
        }
    }
}
