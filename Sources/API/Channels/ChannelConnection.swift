import Accounts
import Identity
import Relay
import Rooms
import Store
import Transport
import Wire

/// A WebSocket whose client subscribes to channels. It has a token in its request, or sends one in its first message.
final class ChannelConnection: WebSocketHandler {
    /// How long a connection may be without a good token.
    private static let anonymousMilliseconds = 20_000
    private static let pingMilliseconds = 25_000
    /// A client that is silent for so long has gone.
    private static let silenceMilliseconds: Int64 = 60_000
    private static let rate = Rate(perSecond: 20, atOnce: 40)
    private static let tokenRate = Rate(perMinute: 6)
    private static let messageBytesMax = 8 << 10
    /// Messages that wait while a token is checked.
    private static let waitingMax = 16
    /// What a client may leave unread.
    private static let unsentBytesMax = 256 << 10

    let number: UInt64
    private unowned let service: ChannelService
    private var webSocket: WebSocketConnection?
    /// The person, once a token was good.
    private(set) var sender: SignedIn?
    private(set) var channels: Set<Channel> = []
    /// The place that the connection takes. Only `ChannelService` changes it.
    var place: ChannelPlace
    /// The token that is being checked.
    private var checking: String?
    /// Sessions that ended while the token was checked. The token may be one of theirs.
    private var endedMeanwhile: [ConnectionsOf] = []
    private static let endedMax = 1_000
    private var waiting: [ChannelRequest] = []
    private var unsent: [[UInt8]] = []
    private var unsentByteCount = 0
    private var pace = Pace()
    private var tokenPace = Pace()
    private var heardAt: Int64 = 0
    private let heartbeat = LoopTimer()
    /// Fires at the end of the token, or of the time without one.
    private let deadline = LoopTimer()
    private let farewell = LoopTimer()

    init(_ service: ChannelService, number: UInt64, _ place: ChannelPlace) {
        self.service = service
        self.number = number
        self.place = place
    }

    var peer: PeerAddress? { webSocket?.peer }
    var isChecking: Bool { checking != nil }
    private var shard: Shard { service.shard }

    func begin(_ webSocket: WebSocketConnection, _ token: String?) {
        self.webSocket = webSocket
        heardAt = shard.now
        heartbeat.fire = { [unowned self] in self.beat() }
        shard.arm(heartbeat, in: Self.pingMilliseconds)
        deadline.fire = { [unowned self] in self.deadlinePassed() }
        shard.arm(deadline, in: Self.anonymousMilliseconds)
        if let token { check(token) }
    }

    private func beat() {
        guard shard.now - heardAt < Self.silenceMilliseconds else { return close(1_001, "no answer to pings") }
        webSocket?.ping()
        shard.arm(heartbeat, in: Self.pingMilliseconds)
    }

    // MARK: Who it is

    private func check(_ token: String) {
        checking = token
        service.check(token, for: self)
    }

    func checked(_ result: Result<SignedIn, APIError>) {
        guard let token = checking else { return }
        checking = nil
        let ended = endedMeanwhile
        endedMeanwhile = []
        switch result {
        case .success(let signedIn)
        where ended.contains { $0.contains(signedIn.person.id, session: signedIn.session.id) }:
            close(4_001, "the session has ended")
        case .success(let signedIn) where service.isBanned(signedIn.person.id): close(4_001, "banned by an operator")
        case .success where ended.count >= Self.endedMax: check(token)
        case .success(let signedIn): take(signedIn)
        case .failure(let error):
            service.leavePlace(self)
            send(ChannelAnswer.failure(error))
            close(error.status == 401 ? 4_001 : 1_013, error.message)
        }
    }

    /// A session ended while the token is checked.
    func ended(_ whose: ConnectionsOf) {
        if endedMeanwhile.count < Self.endedMax { endedMeanwhile.append(whose) }
    }

    private func take(_ signedIn: SignedIn) {
        if let sender, !sender.person.id.isSameID(as: signedIn.person.id) {
            send(ChannelAnswer.failure(.forbidden("The connection belongs to another person.")))
            return close(4_001, "another person")
        }
        guard sender != nil || service.belongs(self, to: signedIn.person.id) else {
            return close(1_008, "the person has too many connections")
        }
        sender = signedIn
        armDeadline(signedIn)
        send(ChannelAnswer.make("authenticated"))
        let requests = waiting
        waiting = []
        for request in requests { perform(request) }
    }

    /// No timer waits longer than a day.
    private func armDeadline(_ sender: SignedIn) {
        let seconds = min(max((sender.token.expiresAt ?? .max) - shard.unixSeconds, 1), 86_400)
        shard.arm(deadline, in: Int(seconds) * 1_000)
    }

    private func deadlinePassed() {
        // The answer is about to come, if the store does not fail.
        guard !isChecking else { return close(1_013, "the token cannot be checked") }
        guard let sender else { return close(4_001, "no token came in time") }
        guard let ends = sender.token.expiresAt, ends <= shard.unixSeconds else { return armDeadline(sender) }
        send(ChannelAnswer.make("token_expired"))
        close(4_001, "the token has expired")
    }

    // MARK: In

    func received(_ message: Span<UInt8>, isBinary: Bool) {
        heardAt = shard.now
        guard pace.take(Self.rate, nowMilliseconds: shard.now) == 0 else { return close(1_008, "too many messages") }
        guard !isBinary, message.count <= Self.messageBytesMax else {
            return close(isBinary ? 1_003 : 1_009, "a message is a text of at most \(Self.messageBytesMax) bytes")
        }
        switch ChannelRequest.read(message) {
        case .failure(let error): send(ChannelAnswer.failure(error))
        case .success(.authenticate(let token)):
            guard !isChecking else {
                return send(ChannelAnswer.failure(APIError(400, .validation, "A token is being checked.")))
            }
            guard tokenPace.take(Self.tokenRate, nowMilliseconds: shard.now) == 0 else {
                return close(1_008, "too many tokens")
            }
            check(TokenSource.withoutScheme(token))
        case .success(let request): perform(request)
        }
    }

    func receivedControl() {
        heardAt = shard.now
        // Pings of the client are answered, but not without end.
        if pace.take(Self.rate, nowMilliseconds: shard.now) > 0 { close(1_008, "too many pings") }
    }

    private func perform(_ request: ChannelRequest) {
        guard sender != nil else {
            guard isChecking else { return send(ChannelAnswer.failure(Interspace.tokenMissing)) }
            guard waiting.count < Self.waitingMax else { return close(1_008, "too many messages") }
            return waiting.append(request)
        }
        switch request {
        case .subscribe(let more): take(channels.union(more))
        case .unsubscribe(let gone): take(channels.subtracting(gone))
        case .ping: return send(ChannelAnswer.make("pong"))
        case .authenticate: return
        }
        send(ChannelAnswer.subscribed(channels))
    }

    private func take(_ new: Set<Channel>) {
        let (before, after) = (channels.contains(.wallets), new.contains(.wallets))
        channels = new
        guard before != after, let person = sender?.person.id else { return }
        if after { service.accounts.watchWallets(of: person) } else { service.accounts.unwatchWallets(of: person) }
    }

    // MARK: Out

    func send(_ bytes: [UInt8]) {
        guard let webSocket, webSocket.isOpen else { return }
        unsentByteCount += bytes.count
        unsent.append(bytes)
        webSocket.wantFlush()
        guard unsentByteCount > Self.unsentBytesMax else { return }
        // Much may come in one turn, which a client that reads takes at once.
        webSocket.flushNow()
        if unsentByteCount > Self.unsentBytesMax { close(1_008, "the client reads too slowly") }
    }

    func flush() {
        guard let webSocket, !unsent.isEmpty else { return }
        var count = 0
        while count < unsent.count, !webSocket.isBlocked {
            unsentByteCount -= unsent[count].count
            unsent[count].withUnsafeBytes { _ = webSocket.write($0) }
            count += 1
        }
        unsent.removeFirst(count)
    }

    // MARK: The end

    /// The server stops.
    func closeLater(in milliseconds: Int) {
        farewell.fire = { [unowned self] in self.close(1_001, "the server stops") }
        shard.arm(farewell, in: milliseconds)
    }

    func close(_ code: UInt16, _ reason: String) {
        webSocket?.flushNow()
        webSocket?.close(code: code, reason: reason)
    }

    func closed(code: UInt16, reason: CloseReason) {
        webSocket = nil
        take([])
        shard.cancel(heartbeat)
        shard.cancel(deadline)
        shard.cancel(farewell)
        service.forget(self)
    }
}
