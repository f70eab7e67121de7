import Threads
import Transport
import Wire

/// What the Socket.IO servers of all shards share.
public final class SocketHub: Sendable {
    /// Volatile events that were dropped because their clients were not ready.
    public let volatileDropped = Counter()
    /// Broadcasts that another shard did not take, because it is overloaded or stopping.
    public let broadcastsDropped = Counter()
    private let counters = Locked<[String: Counter]>([:])

    public init() {}

    func counter(of namespace: String) -> Counter {
        counters.withLock { counters in
            if let counter = counters[namespace] { return counter }
            let counter = Counter()
            counters[namespace] = counter
            return counter
        }
    }
}

/// Socket.IO on one shard: its namespaces, on top of its Engine.IO sessions.
public final class SocketServer {
    public unowned let shard: Shard
    public let hub: SocketHub
    let configuration: SessionConfiguration
    let limits: SocketLimits
    private var namespaces: [String: Namespace] = [:]

    public init(shard: Shard, hub: SocketHub, configuration: SessionConfiguration) {
        self.shard = shard
        self.hub = hub
        self.configuration = configuration
        var limits = SocketLimits()
        limits.attachmentsBytesMax = configuration.maxPayloadBytes
        self.limits = limits
        shard.keep(self)
    }

    /// Opens a namespace to clients. Others are refused with `Invalid namespace`.
    @discardableResult
    public func open(_ name: String, _ handler: any NamespaceHandler) -> Namespace {
        let namespace = Namespace(name, handler, self)
        namespaces[name] = namespace
        return namespace
    }

    public func namespace(_ name: String) -> Namespace? { namespaces[name] }

    /// Makes the handler of an Engine.IO session.
    public func makeHandler(_ session: EngineSession) -> any EngineHandler {
        SocketClient(session, self)
    }
}
