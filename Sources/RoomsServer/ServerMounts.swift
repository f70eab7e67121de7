import API
import Board
import Operations
import Relay
import Sessions
import Store
import Transport

/// The HTTP services of a server and their paths. All shards share it.
struct ServerMounts: Sendable {
    let hosts: HostPolicy
    let relay: RelayHub
    let store: (any ServerStore)?
    /// Nil on a server without a data directory.
    let api: API?
    let apps: [PlacedApp]
    /// Nil where operators have no token.
    let operators: OperatorFacts?
    let bots: DemoBots?
    let board: Board?

    var meters: [any Meters] {
        (api?.meters ?? []) + apps.flatMap(\.interface.meters) + (operators?.meters ?? [])
    }

    /// One shard's. Engine.IO comes first: `path` may be set to any path.
    func router(with sessions: SessionService, on shard: Shard) -> SiteRouter {
        let router = HTTPRouter(hosts: hosts)
        router.mount(sessions, at: sessions.mount, countsRequests: true)
        router.mount(HealthService(sessions, store, relay.bans), at: HealthService.mount, passesBarriers: true)
        if let api {
            router.mount(api.service(relay, on: shard), at: API.mount, countsRequests: true)
        } else {
            router.mount(NoAPI(), at: API.mount)
        }
        let sites = mountApps(on: shard, router)
        if let operators {
            let desk = OperatorDesk(operators, on: shard, mailboxes: shard.mailboxes, server: shard.server)
            router.mount(desk, at: OperatorDesk.mount, passesBarriers: true)
        }
        if let bots { router.mount(bots, at: DemoBots.mount) }
        if let board { router.mount(board, at: board.mount) }
        let all = SiteRouter(router)
        for (site, router) in sites { all.add(site, router) }
        return all
    }

    /// Mounts the applications at their paths. Returns the routers of their sites.
    private func mountApps(on shard: Shard, _ own: HTTPRouter) -> [Site: HTTPRouter] {
        var routers: [Site: HTTPRouter] = [:]
        for app in apps {
            let (interface, service) = (app.interface, app.interface.service(relay, on: shard))
            for site in app.sites {
                let router =
                    site.map { routers[$0] ?? HTTPRouter(hosts: hosts(of: $0), prefix: interface.prefix) } ?? own
                if let site { routers[site] = router }
                router.mount(service, at: interface.mount, countsRequests: true)
            }
        }
        return routers
    }

    /// A site of a name is asked for by that name alone.
    private func hosts(of site: Site) -> HostPolicy { if case .host = site { .any } else { hosts } }
}
