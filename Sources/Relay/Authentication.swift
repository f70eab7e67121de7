import Identity
import Rooms
import Sessions
import Transport
import Wire

/// Who a client is, until when it has shown that, and what to do about it meanwhile.
final class Admission {
    let person: Person
    /// Seconds since 1970; nil when it never ends.
    private(set) var expiresAt: Int64?
    /// Set for a client that can come back after its connection was lost.
    var pid: SessionID?
    /// What it comes back to, and the last that it has seen of it; until it has connected.
    var recovery: Comeback?
    /// First for the warning, then for the end; nil for a token without an end.
    fileprivate(set) var timer: LoopTimer?

    /// Apart from the admission, since few have one and not for long.
    final class Comeback {
        let lost: LostClient
        let offset: LogOffset?

        init(_ lost: LostClient, _ offset: LogOffset?) {
            self.lost = lost
            self.offset = offset
        }
    }

    init(_ token: VerifiedToken) {
        person = Person(id: token.subject, profile: token.shown ?? Self.profile(token))
        expiresAt = token.expiresAt
    }

    private static func profile(_ token: VerifiedToken) -> [UInt8] {
        var profile: [UInt8] = []
        JSONWriter.write(into: &profile) { json in
            json.beginObject()
            json.member("id", token.subject)
            json.member("username", token.name ?? token.subject)
            json.endObject()
        }
        return profile
    }

    fileprivate func extend(to expiresAt: Int64?) {
        self.expiresAt = expiresAt
    }
}

/// Lets clients in whose token is good, and sees to it that they show a new one in time.
final class Authentication {
    private let verifier: any TokenVerifier
    private unowned let shard: Shard
    private let configuration: RelayConfiguration
    /// Clients whose token is being looked at.
    private var connecting: [UInt64: ConnectRequest] = [:]
    private var refreshing: [UInt64: (TokenVerification) -> Void] = [:]
    private var nextNumber: UInt64 = 0
    /// Called with clients whose token is good.
    var admitted: (ConnectRequest, Admission) -> Void = { request, _ in request.proceed() }

    typealias TokenVerification = Result<VerifiedToken, TokenError>

    init(_ verifier: any TokenVerifier, shard: Shard, configuration: RelayConfiguration) {
        self.verifier = verifier
        self.shard = shard
        self.configuration = configuration
        shard.keep(self)
    }

    // MARK: Coming in

    /// The middleware: accepts or refuses once the token is verified.
    func check(_ request: ConnectRequest) {
        let head = request.socket.session.handshake.head
        let query = Self.token(inNamespace: request.socket.query) ?? head.queryValue("token")
        let payload = request.socket.auth
        let token = TokenSource.find(
            payload: payload.span, authorization: head.headers.first(named: "Authorization"), query: query)
        let number = nextNumber
        nextNumber += 1
        connecting[number] = request
        let mailbox = shard.mailboxes[shard.index]
        verifier.verify(token, now: shard.unixSeconds) { result in
            mailbox.insist { $0.local(Authentication.self)?.verified(number, result) }
        }
    }

    /// Clients of Socket.IO 2 can put a query behind the namespace.
    private static func token(inNamespace query: String) -> String? {
        for item in query.split(separator: "&") where item.hasPrefix("token=") { return String(item.dropFirst(6)) }
        return nil
    }

    private func verified(_ number: UInt64, _ result: TokenVerification) {
        if let done = refreshing.removeValue(forKey: number) { return done(result) }
        guard let request = connecting.removeValue(forKey: number) else { return }
        switch result {
        case .success(let token):
            let admission = Admission(token)
            request.socket.state = admission
            admitted(request, admission)
        case .failure(let error):
            var data: [UInt8] = []
            JSONWriter.write(into: &data) { json in
                json.beginObject()
                json.member("code", error.code)
                json.endObject()
            }
            request.refuse(error.message, data: data)
        }
    }

    // MARK: Staying

    /// Warns the client ahead of its token's end, and ends its session shortly after it.
    func watch(_ admission: Admission, _ socket: Socket) {
        guard let expiresAt = admission.expiresAt else { return forget(admission) }
        let left = (expiresAt - shard.unixSeconds) * 1_000
        let lead = Int64(configuration.expiryWarningMilliseconds)
        guard left > lead else { return warn(admission, socket, expiresAt) }
        arm(admission, in: Int(min(left - lead, 1 << 40))) { [unowned self, unowned admission, unowned socket] in
            self.warn(admission, socket, expiresAt)
        }
    }

    private func warn(_ admission: Admission, _ socket: Socket, _ expiresAt: Int64) {
        let left = max(expiresAt - shard.unixSeconds, 0)
        var argument: [UInt8] = []
        JSONWriter.write(into: &argument) { json in
            json.beginObject()
            json.member("expiresIn", Int(left))
            json.endObject()
        }
        socket.emit("auth:expiring", argument)
        // A client that has too much to read already has come to its end with this.
        guard socket.isConnected else { return }
        arm(admission, in: Int(left) * 1_000 + configuration.expiryGraceMilliseconds) { [weak socket] in
            guard let socket else { return }
            socket.emit("error", Self.expired)
            socket.disconnect(closingSession: true)
        }
    }

    private func arm(_ admission: Admission, in milliseconds: Int, _ fire: @escaping () -> Void) {
        let timer = admission.timer ?? LoopTimer()
        timer.fire = fire
        admission.timer = timer
        shard.arm(timer, in: milliseconds)
    }

    private static let expired = Array(
        #""The token has expired.",{"code":"UNAUTHORIZED","message":"The token has expired."}"#.utf8)

    func forget(_ admission: Admission) {
        if let timer = admission.timer { shard.cancel(timer) }
        admission.timer = nil
    }

    /// Takes a new token on a live connection: of the same person, or it is refused.
    func refresh(
        _ admission: Admission, _ socket: Socket, token: String, _ done: @escaping (RoomError?) -> Void
    ) {
        let number = nextNumber
        nextNumber += 1
        refreshing[number] = { [unowned self] result in
            guard socket.isConnected else { return }
            switch result {
            case .failure(let error): done(RoomError(.unauthorized, error.message))
            case .success(let token) where !token.subject.isExactly(admission.person.id):
                done(RoomError(.forbidden, "The token is somebody else's."))
            case .success(let token):
                admission.extend(to: token.expiresAt)
                self.watch(admission, socket)
                done(nil)
            }
        }
        let mailbox = shard.mailboxes[shard.index]
        verifier.verify(token, now: shard.unixSeconds) { result in
            mailbox.insist { $0.local(Authentication.self)?.verified(number, result) }
        }
    }
}
