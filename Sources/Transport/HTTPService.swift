/// Answers requests on one shard. It is made on that shard's thread and used only there.
public protocol HTTPService: AnyObject {
    /// The head of a request has arrived. The service answers, moves or upgrades it, now or later. The body waits until
    /// the service asks for it.
    func handle(_ exchange: HTTPExchange)

    /// The shard is about to end all connections.
    func shardStopping()
}

extension HTTPService {
    public func shardStopping() {}
}

/// A placeholder before the real service is there and after it has gone.
final class NoService: HTTPService {
    func handle(_ exchange: HTTPExchange) {
        exchange.respond(503, [("Retry-After", "1")])
    }
}
