import RoomsClient
import Threads
import Wire

/// A look at a Redis server: whether a node could use it. It subscribes to a channel and publishes on it.
package final class RedisProbe {
    package enum Outcome: Sendable, Equatable {
        /// A node could use the server at this place. It is another one than that which was named if that is a Sentinel.
        case usable(at: String)
        case unusable(reason: String)
    }

    private static let patienceMilliseconds: Int64 = 5_000

    private let observer: Observer
    private var finder: PrimaryFinder?
    private var connections: [RedisConnection] = []

    /// Waits for up to five seconds.
    ///
    package static func run(
        _ server: RedisServer, _ trust: TLSTrust?, cluster: String
    ) throws(ClientError) -> Outcome {
        let loop = try ClientLoop()
        let result = Monitor<Outcome?>(nil)
        let finish: @Sendable (Outcome) -> Void = { outcome in
            result.withLock { if $0 == nil { $0 = outcome } }
            result.notify()
        }
        let holder = LoopBound(value: Holder())
        loop.post { holder.value.probe = RedisProbe(loop, server, trust, cluster, finish) }
        let end = Clock.milliseconds() + patienceMilliseconds
        let outcome: Outcome = result.wait { outcome in
            if let outcome { return .done(outcome) }
            return Clock.milliseconds() < end
                ? .again(at: end)
                : .done(.unusable(reason: "it did not answer within \(patienceMilliseconds / 1_000) s"))
        }
        loop.post {
            holder.value.probe?.close()
            holder.value.probe = nil
            loop.stop()
        }
        return outcome
    }

    private final class Holder {
        var probe: RedisProbe?
    }

    private init(
        _ loop: ClientLoop, _ server: RedisServer, _ trust: TLSTrust?, _ cluster: String,
        _ finish: @escaping @Sendable (Outcome) -> Void
    ) {
        observer = Observer(channel: "rooms:\(cluster):check", finish)
        guard let name = server.sentinelName else {
            connect(loop, server, trust)
            return
        }
        finder = PrimaryFinder(loop, server, name: name, trust) { [unowned self] outcome in
            switch outcome {
            case .primary(let primary): self.connect(loop, primary, trust)
            case .failed(let reason): finish(.unusable(reason: reason))
            }
        }
    }

    private func connect(_ loop: ClientLoop, _ server: RedisServer, _ trust: TLSTrust?) {
        let (publisher, subscriber) = (
            RedisConnection(loop, server, trust, owner: observer), RedisConnection(loop, server, trust, owner: observer)
        )
        connections = [publisher, subscriber]
        (observer.publisher, observer.subscriber, observer.place) = (publisher, subscriber, server.shown)
    }

    private func close() {
        finder?.close()
        for connection in connections { connection.close() }
    }

    private final class Observer: RedisConnectionOwner {
        private let channel: String
        private let finish: @Sendable (Outcome) -> Void
        var place = ""
        weak var publisher: RedisConnection?
        weak var subscriber: RedisConnection?
        private var isSubscribed = false

        init(channel: String, _ finish: @escaping @Sendable (Outcome) -> Void) {
            self.channel = channel
            self.finish = finish
        }

        func connected(_ connection: RedisConnection) {
            if connection === subscriber { connection.send("SUBSCRIBE", channel) } else { publish() }
        }

        private func publish() {
            if isSubscribed, let publisher, publisher.isConnected { publisher.send("PUBLISH", channel, "check") }
        }

        func answered(_ value: RESPValue, by connection: RedisConnection) {
            if case .error(let words) = value { return finish(.unusable(reason: words)) }
            guard connection === subscriber, case .array(let items?) = value, case .bulk(let kind?) = items.first else {
                return
            }
            if kind == Array("subscribe".utf8) {
                isSubscribed = true
                publish()
            } else if kind == Array("message".utf8) {
                finish(.usable(at: place))
            }
        }

        func ended(_ connection: RedisConnection, _ reason: String) { finish(.unusable(reason: reason)) }
    }
}
