import Accounts
import Identity
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
    private static let messageBytesMax = 8 << 10
    /// Messages that wait while a token is checked.
    private static let waitingMax = 16
    /// What a client may leave unread.
    private static let unsentBytesMax = 1 << 20

    let number: UInt64
    private unowned let service: ChannelService
    private var webSocket: WebSocketConnection?
    /// The person, once a token was good.
    private(set) var sender: SignedIn?
    private(set) var channels: Set<Channel> = []
    /// The token that is being checked.
    private var checking: String?
    /// Whether a session has ended meanwhile: it may be that of the token.
    var checksAgain = false
    private var waiting: [ChannelRequest] = []
    private var unsent: [[UInt8]] = []
    private var unsentByteCount = 0
    private var pace = Pace()
    private var heardAt: Int64 = 0
    private let heartbeat = LoopTimer()
    /// Fires at the end of the token, or of the time without one.
    private let deadline = LoopTimer()

    init(_ service: ChannelService, number: UInt64) {
        self.service = service
        self.number = number
    }

    var isChecking: Bool { checking != nil }
    private var shard: Shard { service.shard }

    func begin(_ webSocket: WebSocketConnection, _ token: String?) {
        self.webSocket = webSocket
        heardAt = shard.now
        heartbeat.fire = { [unowned self] in self.beat() }
        shard.arm(heartbeat, in: Self.pingMilliseconds)
        deadline.fire = { [unowned self] in self.isOver() }
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
        switch result {
        case .success where checksAgain:
            checksAgain = false
            check(token)
        case .success(let signedIn): take(signedIn)
        case .failure(let error):
            send(ChannelAnswer.failure(error))
            close(error.status == 401 ? 4_001 : 1_013, error.message)
        }
    }

    private func take(_ signedIn: SignedIn) {
        if let sender, !sender.person.id.isSameID(as: signedIn.person.id) {
            send(ChannelAnswer.failure(.forbidden("The connection belongs to another person.")))
            return close(4_001, "another person")
        }
        if sender == nil { service.signedIn(self, signedIn.person.id) }
        sender = signedIn
        // No timer waits longer than a day; the token is checked again then.
        let seconds = min((signedIn.token.expiresAt ?? .max) - shard.unixSeconds, 86_400)
        shard.arm(deadline, in: Int(max(seconds, 0)) * 1_000 + 1)
        send(ChannelAnswer.make("authenticated"))
        let requests = waiting
        waiting = []
        for request in requests { perform(request) }
    }

    private func isOver() {
        guard let sender else { return close(4_001, "no token came in time") }
        guard let ends = sender.token.expiresAt, ends <= shard.unixSeconds else {
            return shard.arm(deadline, in: 86_400_000)
        }
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
        case .subscribe(let more): channels.formUnion(more)
        case .unsubscribe(let gone): channels.subtract(gone)
        case .ping: return send(ChannelAnswer.make("pong"))
        case .authenticate: return
        }
        send(ChannelAnswer.subscribed(channels))
    }

    // MARK: Out

    func send(_ bytes: [UInt8]) {
        guard let webSocket, webSocket.isOpen else { return }
        unsentByteCount += bytes.count
        guard unsentByteCount <= Self.unsentBytesMax else { return close(1_008, "the client reads too slowly") }
        unsent.append(bytes)
        webSocket.wantFlush()
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

    func close(_ code: UInt16, _ reason: String) {
        webSocket?.flushNow()
        webSocket?.close(code: code, reason: reason)
    }

    func closed(code: UInt16, reason: CloseReason) {
        webSocket = nil
        shard.cancel(heartbeat)
        shard.cancel(deadline)
        service.ended(self, sender?.person.id)
    }
}
