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
    let apps: [any AppInterface]
    /// Nil where operators have no token.
    let operators: OperatorFacts?
    let bots: DemoBots?
    let board: Board?

    /// One shard's. Engine.IO comes first: `path` may be set to any path.
    func router(with sessions: SessionService, on shard: Shard) -> HTTPRouter {
        let router = HTTPRouter(hosts: hosts)
        router.mount(sessions, at: sessions.mount, countsRequests: true)
        router.mount(HealthService(sessions, store), at: HealthService.mount)
        if let api {
            router.mount(api.service(relay, on: shard), at: API.mount, countsRequests: true)
        } else {
            router.mount(NoAPI(), at: API.mount)
        }
        for app in apps { router.mount(app.service(relay, on: shard), at: app.mount, countsRequests: true) }
        if let operators {
            let desk = OperatorDesk(operators, on: shard, mailboxes: shard.mailboxes, server: shard.server)
            router.mount(desk, at: OperatorDesk.mount)
        }
        if let bots { router.mount(bots, at: DemoBots.mount) }
        if let board { router.mount(board, at: board.mount) }
        return router
    }
}
