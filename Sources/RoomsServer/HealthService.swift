import Logging
import Relay
import Sessions
import Store
import Transport
import Wire

/// The health checks of load balancers, on one shard.
final class HealthService: HTTPService {
    static let mount: Mount = [livenessPath, "/health", "/healthz"]
    private static let livenessPath = "/livez"

    private let sessions: SessionService
    private let store: (any ServerStore)?
    private let bans: BanList

    init(_ sessions: SessionService, _ store: (any ServerStore)?, _ bans: BanList) {
        self.sessions = sessions
        self.store = store
        self.bans = bans
    }

    func handle(_ exchange: HTTPExchange) {
        if exchange.head.path == Self.livenessPath { return answerAlive(exchange) }
        let state = state
        var body: [UInt8] = []
        JSONWriter.write(into: &body) { json in
            json.beginObject()
            json.member("status", state.rawValue)
            json.member("timestamp", Timestamp.now().wholeSeconds)
            json.endObject()
        }
        exchange.respond(state == .healthy ? 200 : 503, [("Content-Type", "application/json")], body: body)
    }

    /// The state of the server. Details of a failure go only to the log, because they name paths of this machine.
    private enum State: String {
        case healthy, draining, failing
        case cutOff = "cut off"
        case bansUnread = "bans unread"
    }

    private var state: State {
        if sessions.isDraining { return sessions.isAway ? .cutOff : .draining }
        if !bans.isRead { return .bansUnread }
        return store?.health.isGood ?? true ? .healthy : .failing
    }

    /// A supervisor that kills a hanging server must not kill one that drains, or waits for its disk.
    private func answerAlive(_ exchange: HTTPExchange) {
        exchange.respond(200, [("Content-Type", "application/json")], body: Array(#"{"status":"alive"}"#.utf8))
    }
}
