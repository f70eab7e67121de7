import Logging
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

    init(_ sessions: SessionService, _ store: (any ServerStore)?) {
        self.sessions = sessions
        self.store = store
    }

    func handle(_ exchange: HTTPExchange) {
        if exchange.head.path == Self.livenessPath { return answerAlive(exchange) }
        // The reason of a failure goes to the log only, because it names paths of this machine.
        let (isDraining, isStoring) = (sessions.isDraining, store?.health.isGood ?? true)
        var body: [UInt8] = []
        JSONWriter.write(into: &body) { json in
            json.beginObject()
            json.member(
                "status", sessions.isAway ? "cut off" : isDraining ? "draining" : isStoring ? "healthy" : "failing")
            json.member("timestamp", Timestamp.now().wholeSeconds)
            json.endObject()
        }
        let status = isDraining || !isStoring ? 503 : 200
        exchange.respond(status, [("Content-Type", "application/json")], body: body)
    }

    /// A supervisor that kills a hanging server must not kill one that drains, or waits for its disk.
    private func answerAlive(_ exchange: HTTPExchange) {
        exchange.respond(200, [("Content-Type", "application/json")], body: Array(#"{"status":"alive"}"#.utf8))
    }
}
