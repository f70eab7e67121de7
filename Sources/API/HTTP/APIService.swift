import Identity
import Media
import Relay
import Rooms
import Sessions
import Store
import Transport
import Wire

/// Takes the requests of one shard for the REST interface and sends their answers.
///
/// A request goes: origin, address's rate, route, token, account's rate, size and type of the body, body, fields; then the
/// route's handler, on another thread; and its answer comes back here. A file that is uploaded goes to a disk as it comes.
package final class APIService {
    /// A request that is being looked at or answered.
    final class Pending {
        let exchange: HTTPExchange
        let route: Route
        let parameters: [String: String]
        /// Milliseconds of the shard's clock.
        let since: Int64
        var sender: VerifiedToken?
        /// What the client is told of its limits, whatever the answer.
        var rateHeaders: [(String, String)] = []

        init(_ exchange: HTTPExchange, _ route: Route, _ parameters: [String: String], since: Int64) {
            self.since = since
            self.exchange = exchange
            self.route = route
            self.parameters = parameters
        }
    }

    let api: API
    unowned let shard: Shard
    let rooms: RoomCommands
    var pending: [UInt64: Pending] = [:]
    private var nextNumber: UInt64 = 0
    package internal(set) var totals = RequestTotals()

    /// The shard keeps its service in turn, until it stops.
    package init(_ api: API, _ relay: RelayHub, on shard: Shard) {
        self.api = api
        self.shard = shard
        rooms = RoomCommands(shard.mailboxes, relay)
        shard.keep(self)
    }

    /// Whether a path is of this interface.
    package static func has(_ path: String) -> Bool {
        path.hasPrefix("/api/") || path.hasPrefix("/media/") || path == "/openapi.json"
    }

    /// The answer of a server that keeps nothing.
    package static func refuseWithoutStore(_ exchange: HTTPExchange) {
        let error = APIError(404, .notFound, "People and rooms are kept by servers with a data directory (--data).")
        exchange.respond(error.status, [("Content-Type", "application/json")], body: error.reply.body)
    }

    // MARK: In

    package func handle(_ exchange: HTTPExchange) {
        let head = exchange.head
        let origin = head.headers.first(named: "Origin")
        let isAllowed = api.origins.allows(exchange)
        exchange.allow(origin: isAllowed ? origin : nil)
        exchange.commonHeaders += Self.commonHeaders(isForPage: origin != nil)
        guard isAllowed else {
            return send(APIError.forbidden("Pages of this origin may not use this server.").reply, exchange)
        }
        if head.path == "/openapi.json", head.method == .get || head.method == .head {
            return send(APIReply(body: api.description), exchange)
        }
        let match = api.router.find(head.method, head.path)
        if head.method == .options { return answerOptions(exchange, match) }
        let rateHeaders: [(String, String)]
        do throws(APIError) {
            rateHeaders = try takeOfAddress(exchange)
        } catch {
            return send(error.reply, exchange)
        }
        switch match {
        case .route(let route, let parameters):
            let pending = Pending(exchange, route, parameters, since: shard.now)
            pending.rateHeaders = rateHeaders
            authenticate(pending)
        case .otherMethods(let methods):
            var error = APIError(405, .validation, "This is not done with \(head.method.name).")
            error.headers = [("Allow", Self.list(methods))]
            send(error.reply, exchange)
        case .none: send(APIError(404, .notFound, "There is nothing at this path.").reply, exchange)
        }
    }

    private static func commonHeaders(isForPage: Bool) -> [(String, String)] {
        var headers = [("Cache-Control", "no-store"), ("X-Content-Type-Options", "nosniff")]
        if isForPage {
            headers.append(
                (
                    "Access-Control-Expose-Headers",
                    "Content-Range, ETag, Location, Retry-After, X-RateLimit-Limit, X-RateLimit-Remaining, X-RateLimit-Reset"
                ))
        }
        return headers
    }

    private static func list(_ methods: [HTTPMethod]) -> String {
        (methods.map(\.name) + (methods.contains(.get) ? ["HEAD"] : []) + ["OPTIONS"]).joined(separator: ", ")
    }

    /// Browsers ask before they send; others may want to know as well.
    private func answerOptions(_ exchange: HTTPExchange, _ match: Router.Match) {
        guard case .otherMethods(let methods) = match else {
            return send(APIError(404, .notFound, "There is nothing at this path.").reply, exchange)
        }
        exchange.respond(
            204,
            [
                ("Allow", Self.list(methods)),
                ("Access-Control-Allow-Methods", Self.list(methods)),
                ("Access-Control-Allow-Headers", "Authorization, Content-Type, Idempotency-Key, Range"),
                ("Access-Control-Max-Age", "600"),
            ])
    }

    private func takeOfAddress(_ exchange: HTTPExchange) throws(APIError) -> [(String, String)] {
        guard let address = shard.server.countedAddress(of: exchange.peer),
            let reading = api.addresses.take(address, nowMilliseconds: shard.now)
        else { return [] }
        try Self.check(reading)
        return reading.headers
    }

    private static func check<Key>(_ reading: RequestMeters<Key>.Reading) throws(APIError) {
        guard reading.waitMilliseconds > 0 else { return }
        var error = APIError(429, .rateLimited, "Too many requests; wait before the next.")
        error.headers = reading.headers
        JSONWriter.write(into: &error.details) { json in
            json.beginObject()
            json.member("retryAfter", Double(reading.waitMilliseconds) / 1_000)
            json.endObject()
        }
        throw error
    }

    // MARK: Who asks

    private func authenticate(_ request: Pending) {
        if request.route.access == .everybody { return run(request, .none) }
        let authorization = request.exchange.head.headers.first(named: "Authorization")
        // Tokens in a query would stand in the logs of every proxy.
        let token = TokenSource.find(payload: [UInt8]().span, authorization: authorization, query: nil)
        guard let token else {
            return send(APIError.unauthorized("TOKEN_MISSING", "A bearer token is needed.").reply, request)
        }
        guard let number = keep(request) else { return }
        let mailbox = shard.mailboxes[shard.index]
        api.verifier.verify(token, now: shard.unixSeconds) { result in
            mailbox.insist(RequestStep.authenticated(number, result))
        }
    }

    /// Remembers a request while it is elsewhere; forgets it when its connection ends.
    func keep(_ request: Pending) -> UInt64? {
        guard pending.count < api.limits.pendingRequestsMax else {
            send(APIError.unavailable("The server has too much to do; try again in a moment.").reply, request)
            return nil
        }
        let number = nextNumber
        nextNumber += 1
        pending[number] = request
        request.exchange.aborted = { [unowned self] _ in self.pending[number] = nil }
        return number
    }

    fileprivate func authenticated(_ number: UInt64, _ result: Result<VerifiedToken, TokenError>) {
        guard let request = pending.removeValue(forKey: number) else { return }
        switch result {
        case .failure(let error): send(APIError(error).reply, request)
        case .success(let sender):
            request.sender = sender
            do throws(APIError) {
                try takeOfAccount(sender.subject, request)
                try receiveBody(request, from: sender)
            } catch {
                send(error.reply, request)
            }
        }
    }

    private func takeOfAccount(_ subject: String, _ request: Pending) throws(APIError) {
        var readings = [api.accounts.take(ExactText(subject), nowMilliseconds: shard.now)]
        if case .file = request.route.body {
            readings.append(api.uploads.take(ExactText(subject), nowMilliseconds: shard.now))
        }
        if request.route.isSearch { readings.append(api.searches.take(ExactText(subject), nowMilliseconds: shard.now)) }
        // The narrowest of the limits is the one to be told of.
        guard let least = readings.compactMap(\.self).min(by: { $0.remaining < $1.remaining }) else { return }
        request.rateHeaders = least.headers
        for reading in readings.compactMap(\.self) { try Self.check(reading) }
    }
}

/// What a request waited for elsewhere, by its number.
enum RequestStep: ShardItem {
    case authenticated(UInt64, Result<VerifiedToken, TokenError>)
    /// The account of a person that uploads a file.
    case found(UInt64, Result<Account?, StoreError>, MediaKind, MultipartBoundary)
    case answered(UInt64, APIReply)

    func arrive(on shard: Shard) {
        guard let service = shard.local(APIService.self) else { return }
        switch self {
        case .authenticated(let number, let result): service.authenticated(number, result)
        case .found(let number, let answer, let kind, let boundary): service.found(answer, number, kind, boundary)
        case .answered(let number, let reply): service.answered(number, reply)
        }
    }
}
