/// What answers the requests of one shard. Made on that shard's thread and used there alone.
public protocol HTTPService: AnyObject {
    /// A request's head has come. It is answered, moved or upgraded now or later; its body waits until it is asked for.
    func handle(_ exchange: HTTPExchange)

    /// The shard is about to end all connections.
    func shardStopping()
}

extension HTTPService {
    public func shardStopping() {}
}

/// Stands in until the real service is there and after it has gone.
final class NoService: HTTPService {
    func handle(_ exchange: HTTPExchange) {
        exchange.respond(503, [("Retry-After", "1")])
    }
}
