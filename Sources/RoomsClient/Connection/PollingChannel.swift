import Wire

protocol PollingChannelOwner: AnyObject {
    func pollingReceived(_ packets: [EnginePacket], _ channel: PollingChannel)
    /// All that was sent has been answered.
    func pollingDrained(_ channel: PollingChannel)
    /// Nothing is under way any more, after `pause`.
    func pollingPaused(_ channel: PollingChannel)
    func pollingEnded(_ end: ConnectionEnd, _ channel: PollingChannel)
}

/// Long-polling: a request that waits for packets, and one at a time that carries them.
final class PollingChannel {
    /// How long a farewell may take.
    private static let farewellMilliseconds: Int64 = 3_000

    private let loop: ClientLoop
    private let url: ServerURL
    private var owner: (any PollingChannelOwner)?
    private let room: String?
    private let polls: HTTPChannel
    private let posts: HTTPChannel
    private var sid: String?
    private var maxPayload = 1_000_000
    private var isPaused = false
    private var isClosing = false
    private let timer = ClientTimer()
    /// The texts of packets that wait for the request before them to be answered.
    private var outbox: [(type: EnginePacketType, text: [UInt8])] = []

    init(_ loop: ClientLoop, _ url: ServerURL, _ options: ConnectionOptions, owner: any PollingChannelOwner) {
        self.loop = loop
        self.url = url
        room = options.room
        self.owner = owner
        polls = HTTPChannel(loop, url, options)
        posts = HTTPChannel(loop, url, options)
    }

    func open() { poll() }

    /// The open packet has come: from here on requests name their session.
    func opened(sid: String, maxPayload: Int) {
        self.sid = sid
        self.maxPayload = maxPayload
    }

    // MARK: In

    private func poll() {
        polls.send("GET", url.target("polling", sid: sid, room: room)) { [self] result in
            guard owner != nil else { return }
            switch result {
            case .failure(let error): end(ConnectionEnd("\(error)"))
            case .success(let answer) where answer.status != 200: end(ConnectionEnd(answer))
            case .success(let answer): take(answer.body)
            }
        }
    }

    private func take(_ body: [UInt8]) {
        do throws(EnginePayload.Failure) {
            let packets = try EnginePayload.decode(body.span, form: .separated)
            owner?.pollingReceived(packets, self)
        } catch {
            return end(ConnectionEnd("the answer of a poll has no packets"))
        }
        guard owner != nil else { return }
        if isPaused { tellIfPaused() } else { poll() }
    }

    // MARK: Out

    func send(_ type: EnginePacketType, _ text: [UInt8]) {
        guard owner != nil else { return }
        outbox.append((type, text))
        post()
    }

    var isBackedUp: Bool { posts.isBusy || !outbox.isEmpty }

    private func post() {
        guard !posts.isBusy, !isPaused || isClosing, !outbox.isEmpty, sid != nil else { return }
        var writer = EnginePayloadWriter(form: .separated)
        var body: [UInt8] = []
        var count = 0
        for packet in outbox {
            guard count == 0 || body.count + writer.size(packet.text.span) <= maxPayload else { break }
            writer.append(packet.type, packet.text.span, to: &body)
            count += 1
        }
        outbox.removeFirst(count)
        posts.send("POST", url.target("polling", sid: sid, room: room), body: body) { [self] result in
            if isClosing { return closeIfDone() }
            switch result {
            case .failure(let error): end(ConnectionEnd("\(error)"))
            case .success(let answer) where answer.status != 200: end(ConnectionEnd(answer))
            case .success:
                if isPaused { return tellIfPaused() }
                if outbox.isEmpty { owner?.pollingDrained(self) } else { post() }
            }
        }
    }

    // MARK: Leaving for a WebSocket

    /// Begins no new request. The current one is completed.
    func pause() {
        isPaused = true
        tellIfPaused()
    }

    func resume() {
        guard isPaused else { return }
        isPaused = false
        if !polls.isBusy { poll() }
        post()
    }

    private func tellIfPaused() {
        if isPaused, !polls.isBusy, !posts.isBusy { owner?.pollingPaused(self) }
    }

    /// What waited, for the transport that takes over.
    func takeOutbox() -> [(type: EnginePacketType, text: [UInt8])] {
        let waiting = outbox
        outbox = []
        return waiting
    }

    // MARK: The end

    private func end(_ end: ConnectionEnd) {
        let owner = owner
        close(isCut: false)
        owner?.pollingEnded(end, self)
    }

    /// Ends without telling the owner. With a farewell it first sends the queued packets.
    func close(isCut: Bool = false, withFarewell: Bool = false) {
        guard !isClosing else { return }
        isClosing = true
        owner = nil
        guard withFarewell, sid != nil else { return finish(isCut: isCut) }
        outbox.append((.close, []))
        timer.fire = { self.finish(isCut: true) }
        loop.arm(timer, in: Self.farewellMilliseconds)
        post()
    }

    private func closeIfDone() {
        if outbox.isEmpty { finish(isCut: false) } else { post() }
    }

    private func finish(isCut: Bool) {
        outbox = []
        loop.cancel(timer)
        timer.fire = nil
        polls.close(isCut: isCut)
        posts.close(isCut: isCut)
    }

    func setReading(_ isReading: Bool) { polls.setReading(isReading) }
}
