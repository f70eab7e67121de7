import Identity
import Rooms
import Sessions
import Transport
import Wire

/// Admits clients with a valid token, and ends their sessions when the token expires and no new one comes.
final class AdmissionDesk {
    private let verifier: any TokenVerifier
    private unowned let loop: any RelayLoop
    private let mailbox: any RelayMailbox
    private let configuration: RelayConfiguration
    private let bans: BanList
    /// A client whose token is being verified.
    private struct Connecting {
        let request: ConnectRequest
        let wishes: ConnectWishes
        let claim: RecoveryPayload?
    }

    /// Sessions of accounts that have ended. A client may come with a token that was verified just before, or rely on the
    /// token of its first CONNECT.
    private var ended = AgedTable<String, String>()
    private static let endedMax = 50_000
    private var connecting: [UInt64: Connecting] = [:]
    private var refreshing: [UInt64: (TokenVerification) -> Void] = [:]
    private var nextNumber: UInt64 = 0
    /// Called for each client with a valid token.
    var admitted: (any RelayConnect, Admission, RecoveryPayload?) -> Void = { request, _, _ in
        request.proceed(as: nil)
    }

    typealias TokenVerification = Result<VerifiedToken, TokenError>

    init(
        _ verifier: any TokenVerifier, _ loop: any RelayLoop, _ mailbox: any RelayMailbox,
        _ configuration: RelayConfiguration, bans: BanList = BanList()
    ) {
        self.verifier = verifier
        self.loop = loop
        self.mailbox = mailbox
        self.configuration = configuration
        self.bans = bans
    }

    // MARK: Coming in

    /// The middleware: accepts or refuses once the token is verified.
    func check(_ request: ConnectRequest) {
        let (socket, session) = (request.socket, request.socket.session)
        let payload: ConnectPayload
        do throws(JSONError) {
            payload = try ConnectPayload(socket.auth)
        } catch {
            return request.reject()
        }
        socket.forgetAuth()
        let handshake = session.handshake
        let standing = session.memory as? Standing
        let token =
            payload.token
            ?? TokenSource.find(
                authorization: handshake.headers.first(named: "Authorization"),
                query: Self.token(inNamespace: socket.query) ?? handshake.queryValue("token"))
        // A client of Socket.IO 2 has no payload in which it could ask.
        let asked = ConnectPayload.form(
            of: handshake.queryValue("touch"), decimals: handshake.queryValue("decimals").flatMap { Int($0) })
        let wishes = ConnectWishes(
            touches: payload.touches ?? standing?.touches ?? asked ?? [], wantsEdits: payload.wantsEdits,
            asksForOffsets: payload.asksForOffsets,
            isPage: standing?.isPage ?? handshake.headers.first(named: "User-Agent")?.contains("Mozilla/") ?? false,
            tokenIsOfRequest: payload.token == nil && (token != nil || standing?.identity != nil))
        let claim = payload.pid.map { RecoveryPayload(pid: $0, offset: payload.offset) }
        if token == nil, let identity = standing?.identity, identity.expiresAt ?? .max > loop.unixSeconds {
            return admit(request, Admission(identity, wishes), claim)
        }
        let number = nextNumber
        nextNumber += 1
        connecting[number] = Connecting(request: request, wishes: wishes, claim: claim)
        verify(token, number)
    }

    /// Clients of Socket.IO 2 can append a query to the namespace.
    private static func token(inNamespace query: String) -> String? {
        for item in query.split(separator: "&") where item.hasPrefix("token=") { return String(item.dropFirst(6)) }
        return nil
    }

    private func verify(_ token: String?, _ number: UInt64) {
        let mailbox = mailbox
        verifier.verify(token, now: loop.unixSeconds) { result in
            mailbox.insist(RelayMessage.edge(.verified(number, result)))
        }
    }

    func verified(_ number: UInt64, _ result: TokenVerification) {
        if let done = refreshing.removeValue(forKey: number) { return done(result) }
        guard let connecting = connecting.removeValue(forKey: number) else { return }
        let request = connecting.request
        switch result {
        case .success(let token): admit(request, Admission(token, connecting.wishes), connecting.claim)
        case .failure(let error): refuse(request, error)
        }
    }

    private func refuse(_ request: ConnectRequest, _ error: TokenError) {
        refuse(request, error.message, code: error.code)
    }

    private func refuse(_ request: ConnectRequest, _ message: String, code: String) {
        var data: [UInt8] = []
        JSONWriter.write(into: &data) { json in
            json.beginObject()
            json.member("code", code)
            json.endObject()
        }
        request.refuse(message, data: data)
    }

    /// Nobody comes in by the session any more.
    func end(_ session: String) {
        ended.put(session, for: session)
        if ended.count > Self.endedMax { ended.removeOldest() }
    }

    private func admit(_ request: ConnectRequest, _ admission: Admission, _ claim: RecoveryPayload?) {
        if let session = admission.session, ended[session] != nil { return refuse(request, TokenError(.ended)) }
        if let end = bans.end(ofPerson: admission.person.id, at: loop.unixSeconds) {
            return refuse(request, BanList.sentence(until: end), code: "BANNED")
        }
        request.socket.session.forgetRequest()
        request.socket.state = admission
        admitted(request, admission, claim)
    }

    /// The client leaves the namespace. It may connect again in the same session.
    func left(_ admission: Admission, _ session: any RelaySession) {
        session.memory = Standing(admission)
    }

    // MARK: Staying

    /// Warns the client before its token expires, and ends its session shortly afterwards.
    func watch(_ admission: Admission, _ socket: any RelaySocket) {
        guard let expiresAt = admission.expiresAt else { return forget(admission) }
        let left = (expiresAt - loop.unixSeconds) * 1_000
        let lead = Int64(configuration.expiryWarningMilliseconds)
        guard left > lead else { return warn(admission, socket, expiresAt) }
        arm(admission, in: Int(min(left - lead, 1 << 40))) { [unowned self, unowned admission, unowned socket] in
            self.warn(admission, socket, expiresAt)
        }
    }

    private func warn(_ admission: Admission, _ socket: any RelaySocket, _ expiresAt: Int64) {
        let left = max(expiresAt - loop.unixSeconds, 0)
        var argument: [UInt8] = []
        JSONWriter.write(into: &argument) { json in
            json.beginObject()
            json.member("expiresIn", Int(left))
            json.endObject()
        }
        socket.emit("auth:expiring", argument)
        // The warning ends a client that has too much to read already.
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
        loop.arm(timer, in: milliseconds)
    }

    private static let expired = Array(
        #""The token has expired.",{"code":"UNAUTHORIZED","message":"The token has expired."}"#.utf8)

    func forget(_ admission: Admission) {
        if let timer = admission.timer { loop.cancel(timer) }
        admission.timer = nil
    }

    /// Accepts a new token on a live connection. It must be one of the same user.
    func refresh(
        _ admission: Admission, _ socket: any RelaySocket, token: String, _ done: @escaping (RoomError?) -> Void
    ) {
        let number = nextNumber
        nextNumber += 1
        refreshing[number] = { [unowned self] result in
            guard socket.isConnected else { return }
            switch result {
            case .failure(let error): done(RoomError(.unauthorized, error.message))
            case .success(let token) where !token.subject.isExactly(admission.person.id):
                done(RoomError(.forbidden, "The token belongs to another user."))
            case .success(let token) where token.session.flatMap({ self.ended[$0] }) != nil:
                done(RoomError(.unauthorized, TokenError(.ended).message))
            case .success(let token):
                admission.extend(by: token)
                self.watch(admission, socket)
                done(nil)
            }
        }
        verify(token, number)
    }
}
