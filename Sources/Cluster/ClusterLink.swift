import RoomsClient
import Threads
import Wire

/// The user of a link. All calls come on the link's thread, those about one node in their order.
package protocol ClusterLinkUser: Sendable {
    /// Records can be sent to a node, in this life of the pipe.
    func established(_ node: Int, life: UInt64)
    /// What was sent to the node and has not arrived is gone, and so is what it has sent.
    func lost(_ node: Int)
    /// Answers false when the record cannot be taken now. It is offered again.
    func received(_ record: [UInt8], from node: Int) -> Bool
    /// Redis has reported for a while that a node's channel has no subscriber: the node may have ended.
    func unheard(_ node: Int)
    /// Redis can be reached again, or why not.
    func carrierChanged(_ problem: String?)
}

/// The link of this node to all others: a pipe to each, and Redis as their carrier.
///
/// Each node has one channel. A connection publishes to the channels of the others, another is subscribed to the node's
/// own. Redis stores nothing: what it loses, the pipes send again.
package final class ClusterLink: Sendable {
    package static let pipeBytesMax = 16 << 20

    fileprivate struct State {
        var pipes: Pipes
        /// Whether the link's thread looks for records soon, without being woken.
        var looksSoon = false
        /// Why Redis cannot be reached; nil while it can.
        var problem: String? = "not tried yet"
        var problemSince = Clock.milliseconds()
    }

    private let options: Options
    fileprivate let state: Locked<State>
    private let loop: ClientLoop
    private let carrier: LoopBound<RedisCarrier>

    package init(_ options: Options, user: any ClusterLinkUser) throws(ClientError) {
        self.options = options
        let pipes = Pipes(
            of: options.node, boot: options.boot, bytesMax: options.pipeBytesMax, versions: options.versions)
        state = Locked(State(pipes: pipes))
        loop = try ClientLoop()
        let carrier = LoopBound(value: RedisCarrier(options, loop, state, user))
        self.carrier = carrier
        loop.post { carrier.value.start() }
    }

    /// Sends a record to a node, at the latest with the next `flush`. May be called from any thread.
    ///
    /// - Parameters:
    ///   - holding: is released when the record has arrived, or the pipe is lost.
    ///   - life: the life of the pipe, as the user was told it.
    /// - Returns: false when the record is not sent.
    package func send(
        _ record: [UInt8], holding: (any AnyObject & Sendable)? = nil, to node: Int, life: UInt64
    ) -> Bool {
        state.withLock { $0.pipes.send(record, holding: holding, to: node, life: life) }
    }

    /// Publishes what waits, soon. One call for many records puts them into one message for each node.
    package func flush() {
        let wakes = state.withLock { state in
            defer { state.looksSoon = true }
            return !state.looksSoon
        }
        guard wakes else { return }
        let carrier = carrier
        loop.post { carrier.value.wake() }
    }

    /// Sends a record in whatever life the pipe has, unless more than so many bytes would wait for the node with it.
    package func send(_ record: [UInt8], to node: Int, waitingAtMost most: Int) -> Bool {
        defer { flush() }
        return state.withLock { $0.pipes.send(record, to: node, waitingAtMost: most) }
    }

    /// Whether a node is so far behind that only what must not be lost should be sent there, and newest states later.
    package func isLate(_ node: Int) -> Bool { state.withLock { $0.pipes.isLate(node) } }

    /// Whether records can be sent to a node.
    package func isConnected(to node: Int) -> Bool { state.withLock { $0.pipes.life(to: node) != nil } }

    /// The nodes that are alive, with the versions of the link that they speak. The pipes to all others are lost.
    package func setPeers(_ nodes: [Int: ClosedRange<Int>]) {
        state.withLock { $0.pipes.setPeers(nodes) }
        let carrier = carrier
        loop.post { carrier.value.wake() }
    }

    package var reading: LinkReading {
        state.withLock { LinkReading(isCarried: $0.problem == nil, peers: $0.pipes.reading) }
    }

    /// How long Redis cannot be reached; 0 while it can.
    package var awayMilliseconds: Int64 {
        state.withLock { $0.problem == nil ? 0 : Clock.milliseconds() - $0.problemSince }
    }

    package func stop() {
        let (carrier, loop) = (carrier, loop)
        loop.post {
            carrier.value.stop()
            loop.stop()
        }
    }
}

/// The link's part on its thread: the connections to Redis, and what goes through them.
private final class RedisCarrier: RedisConnectionOwner {
    private static let retryMilliseconds: Int64 = 200
    private static let probeMilliseconds: Int64 = 1_000
    /// Past it a connection on which nothing comes is given up.
    private static let silenceMilliseconds: Int64 = 3_000
    private static let stalledMilliseconds: Int64 = 5
    /// More than a node needs to subscribe again after a loss of its connection.
    private static let unheardMilliseconds: Int64 = 300
    /// Publications that Redis has not answered.
    private static let unansweredMax = 256
    private static let unansweredBytesMax = 4 << 20

    private let options: ClusterLink.Options
    private let loop: ClientLoop
    private let state: Locked<ClusterLink.State>
    private let user: any ClusterLinkUser
    private var finder: PrimaryFinder?
    private var publisher: RedisConnection?
    private var subscriber: RedisConnection?
    private var isSubscribed = false
    private var nextServer = 0
    /// Publications that Redis has not answered, the oldest first.
    private var unanswered: [(node: Int, byteCount: Int)] = []
    /// The nodes whose channels have no subscriber, and since when.
    private var unheardSince: [Int: Int64] = [:]
    private var unansweredBytes = 0
    private var pace = PublishPace()
    /// When the connections were begun.
    private var connectedAt: Int64 = 0
    private var heardAt: Int64 = 0
    private var answeredAt: Int64 = 0
    private var probedAt: Int64 = 0
    /// What the user could not take yet.
    private var deliveries = PipeDeliveries()
    private let timer = ClientTimer()
    private let retryTimer = ClientTimer()
    private var isStopped = false

    init(
        _ options: ClusterLink.Options, _ loop: ClientLoop, _ state: Locked<ClusterLink.State>,
        _ user: any ClusterLinkUser
    ) {
        self.options = options
        self.loop = loop
        self.state = state
        self.user = user
    }

    func start() {
        timer.fire = { [unowned self] in self.step() }
        retryTimer.fire = { [unowned self] in self.connect() }
        connect()
        step()
    }

    func stop() {
        isStopped = true
        loop.cancel(timer)
        loop.cancel(retryTimer)
        closeAll()
    }

    private func closeAll() {
        finder?.close()
        publisher?.close()
        subscriber?.close()
        (finder, publisher, subscriber, isSubscribed) = (nil, nil, nil, false)
    }

    func wake() { step() }

    // MARK: Connections

    private func channel(of node: Int) -> String { "rooms:\(options.cluster):n:\(node)" }

    private func connect() {
        guard !isStopped, publisher == nil, finder == nil else { return }
        let server = options.servers[nextServer % options.servers.count]
        nextServer += 1
        (unanswered, unansweredBytes, unheardSince) = ([], 0, [:])
        (heardAt, answeredAt, connectedAt) = (loop.now, loop.now, loop.now)
        guard let name = server.sentinelName else { return connect(to: server) }
        let asking = PrimaryFinder(loop, server, name: name, options.trust) { [unowned self] outcome in
            self.finder = nil
            switch outcome {
            case .primary(let primary): self.connect(to: primary)
            case .failed(let reason): self.disconnect(reason)
            }
        }
        // It may have failed at once.
        if !asking.isOver { finder = asking }
    }

    private func connect(to server: RedisServer) {
        publisher = RedisConnection(loop, server, options.trust, owner: self)
        subscriber = RedisConnection(loop, server, options.trust, owner: self)
    }

    private func disconnect(_ reason: String) {
        closeAll()
        tell(reason)
        guard !isStopped else { return }
        loop.arm(retryTimer, in: Self.retryMilliseconds)
    }

    private func tell(_ problem: String?) {
        let isNew = state.withLock { state in
            if state.problem == nil { state.problemSince = Clock.milliseconds() }
            defer { state.problem = problem }
            return state.problem != problem
        }
        if isNew { user.carrierChanged(problem) }
    }

    func connected(_ connection: RedisConnection) {
        if connection === subscriber { connection.send("SUBSCRIBE", channel(of: options.node)) }
    }

    func ended(_ connection: RedisConnection, _ reason: String) {
        guard connection === publisher || connection === subscriber else { return }
        disconnect(reason)
    }

    // MARK: Values

    func answered(_ value: RESPValue, by connection: RedisConnection) {
        if connection === publisher {
            answeredAt = loop.now
            if case .error(let words) = value { return disconnect(words) }
            if !unanswered.isEmpty {
                let (node, byteCount) = unanswered.removeFirst()
                unansweredBytes -= byteCount
                if case .integer(let listeners) = value { note(listeners, of: node) }
            }
            if unanswered.isEmpty { step() }
        } else if connection === subscriber {
            heardAt = loop.now
            take(value)
        }
    }

    /// Redis says how many have got a publication.
    private func note(_ listeners: Int64, of node: Int) {
        guard listeners == 0, node != options.node else { return unheardSince[node] = nil }
        let since = unheardSince[node] ?? loop.now
        unheardSince[node] = since
        if loop.now - since >= Self.unheardMilliseconds { user.unheard(node) }
    }

    private func take(_ value: RESPValue) {
        switch value {
        case .error(let words): disconnect(words)
        case .array(let items?) where items.count == 3:
            guard case .bulk(let kind?) = items[0] else { return }
            if kind == Array("subscribe".utf8) {
                isSubscribed = true
                tell(nil)
                state.withLock { $0.pipes.hurry() }
                step()
            } else if kind == Array("message".utf8), case .bulk(let bytes?) = items[2] {
                take(bytes)
            }
        default: break
        }
    }

    /// A message on this node's channel. A probe of our own is no frame.
    private func take(_ bytes: [UInt8]) {
        guard let frame = LinkFrame(bytes, key: options.secret, versions: options.versions) else { return }
        state.withLock { $0.pipes.receive(frame) }
        step()
    }

    // MARK: What is due

    private func step() {
        guard !isStopped else { return }
        state.withLock { $0.looksSoon = false }
        check()
        probe()
        deliver()
        publish()
        let wait = state.withLock { state in
            let wait = max(state.pipes.rest(at: loop.now), 1)
            // Records that wait for others, or come until then, go with the next step.
            if canPublish, wait <= PublishPace.longestMilliseconds { state.looksSoon = true }
            return canPublish ? wait : Pipe.idleMilliseconds
        }
        loop.arm(timer, in: deliveries.isEmpty ? wait : min(wait, Self.stalledMilliseconds))
    }

    private func check() {
        guard publisher != nil || finder != nil else { return }
        // Before the subscription is confirmed, too: a server may accept connections and say nothing.
        let silence = loop.now - (canPublish ? min(heardAt, unanswered.isEmpty ? heardAt : answeredAt) : connectedAt)
        if silence > Self.silenceMilliseconds { disconnect("Redis has said nothing for \(silence) ms") }
    }

    /// Says something to this node itself, so that a connection that is dead shows.
    private func probe() {
        guard let publisher, canPublish, loop.now - probedAt >= Self.probeMilliseconds else { return }
        probedAt = loop.now
        send([0], to: options.node, publisher)
    }

    private func deliver() {
        state.withLock { deliveries.add(from: &$0.pipes) }
        let offered = deliveries.deliver(to: user)
        state.withLock { PipeDeliveries.block(offered, in: &$0.pipes) }
    }

    private var canPublish: Bool { publisher?.isConnected == true && isSubscribed }

    private func publish() {
        guard let publisher, canPublish else { return }
        for peer in state.withLock({ $0.pipes.peers }) where pace.isDue(peer, at: loop.now) {
            guard unanswered.count < Self.unansweredMax, unansweredBytes < Self.unansweredBytesMax else { return }
            let frames = state.withLock { $0.pipes.takeFrames(to: peer, at: loop.now) }
            for frame in frames { send(frame.encoded(options.secret), to: peer, publisher) }
            pace.note(frames.reduce(0) { $0 + $1.records.count }, to: peer, at: loop.now)
        }
    }

    private func send(_ bytes: [UInt8], to node: Int, _ publisher: RedisConnection) {
        publisher.send([Array("PUBLISH".utf8), Array(channel(of: node).utf8), bytes])
        unanswered.append((node, bytes.count))
        unansweredBytes += bytes.count
    }
}
