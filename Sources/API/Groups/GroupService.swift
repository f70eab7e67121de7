import Relay
import Rooms
import Sessions
import Transport
import Wire

/// Handles the requests of one shard for a group of routes.
///
/// The steps of a request are: origin, rate of the address, route, sender, rate of the sender, size and type of the
/// body, body, the sender again if the body came later, and on another thread fields, the route's check and the handler. Its
/// answer comes back here. A file is written to the disk while it arrives, after a check of its own.
final class GroupService<Group: RouteGroup>: HTTPService {
    /// A request in progress.
    final class Pending {
        let exchange: HTTPExchange
        let route: Route<Group>
        let parameters: [String: String]
        let client: ClientKind
        /// Milliseconds of the shard's clock.
        let since: Int64
        /// Seconds since 1970, when its head was there.
        let headAt: Int64
        var sender: Group.Sender?
        /// Whether the sender was authenticated in this turn of the loop.
        var isFresh = false
        /// Of the limits that applied.
        var readings: [RateReading] = []

        init(
            _ exchange: HTTPExchange, _ route: Route<Group>, _ parameters: [String: String], _ client: ClientKind,
            since: Int64, headAt: Int64
        ) {
            self.client = client
            self.since = since
            self.headAt = headAt
            self.exchange = exchange
            self.route = route
            self.parameters = parameters
        }
    }

    let group: Group
    let context: Group.Context
    unowned let shard: Shard
    let counter: RequestCounter
    var pending: [UInt64: Pending] = [:]
    private var nextNumber: UInt64 = 0

    /// The shard keeps its service until it stops. A shard has one service of each type of group.
    init(_ group: Group, _ context: Group.Context, on shard: Shard) {
        precondition(shard.local(GroupService<Group>.self) == nil, "a shard has one service of a group")
        self.group = group
        self.context = context
        self.shard = shard
        counter = .of(shard)
        shard.keep(self)
    }

    // MARK: In

    func handle(_ exchange: HTTPExchange) {
        let head = exchange.head
        let isAllowed = group.origins.allows(exchange)
        let isRead = head.method == .get || head.method == .head
        let document = exchange.isAtRoot ? group.rootDocument : group.document
        let page = isRead && head.path == document?.page?.path ? document?.page : nil
        let isDescription = isRead && head.path == document?.path || page != nil
        let match = group.routes.find(head.method, exchange.path)
        let isCounted = isAllowed && !isDescription && head.method != .options
        guard case .admitted(let readings) = exchange.admit(isCounted ? limits(of: match) : []) else { return }
        let origin = head.headers.first(named: "Origin")
        exchange.allow(origin: isAllowed ? origin : nil)
        exchange.commonHeaders += [CacheControl.nothing] + group.headers
        if origin != nil {
            exchange.commonHeaders.append(("Access-Control-Expose-Headers", group.crossOriginHeaders.exposed))
        }
        guard isAllowed else { return refuse(exchange, .forbidden("Pages of this origin may not use this server.")) }
        if let page { return respond(page.content, page.headers, exchange) }
        if isRead, !exchange.isAtRoot, let page = document?.page, page.isOf(head.path) {
            return send(APIReply(status: 302, headers: [("Location", page.path)]), exchange)
        }
        if isDescription, let document {
            return respond(document.content, [("Content-Type", "application/json")], exchange)
        }
        if head.method == .options { return answerOptions(exchange, match) }
        do throws(APIError) {
            try check(readings)
        } catch {
            return refuse(exchange, error)
        }
        do throws(APIError) {
            start(exchange, match, try group.client(of: head), readings)
        } catch {
            refuseStranger(exchange, error, of: .web, readings)
        }
    }

    private func check(_ readings: [RateReading]) throws(APIError) {
        for reading in readings { try reading.check(headers(about: reading)) }
    }

    func headers(about reading: RateReading?) -> [(String, String)] {
        reading.map { group.headers(about: $0, now: shard.unixSeconds) } ?? []
    }

    /// The limits of a request's address.
    private func limits(of match: RouteTable<Group>.Match) -> [RequestRate] {
        guard case .route(let route, _) = match, route.isOpen, let own = route.rate else {
            return [group.rates.address]
        }
        return [group.rates.address, own]
    }

    private func start(
        _ exchange: HTTPExchange, _ match: RouteTable<Group>.Match, _ client: ClientKind, _ readings: [RateReading]
    ) {
        switch match {
        case .route(let route, let parameters):
            let request = Pending(
                exchange, route, parameters, client, since: shard.now, headAt: shard.unixSeconds)
            request.readings = readings
            authenticate(request)
        case .otherMethods(let methods):
            var error = APIError(405, .validation, "This path does not accept \(exchange.head.method.name).")
            error.headers = [("Allow", Self.list(methods))]
            refuseStranger(exchange, error, of: client, readings)
        case .none:
            refuseStranger(exchange, APIError(404, .notFound, "There is nothing at this path."), of: client, readings)
        }
    }

    /// Counts a request without a sender.
    private func countStranger(_ exchange: HTTPExchange, _ client: ClientKind) throws(APIError) -> [RateReading] {
        guard let reading = group.rates.count(stranger: exchange.peer, of: client, on: shard) else { return [] }
        try check([reading])
        return [reading]
    }

    private func refuseStranger(
        _ exchange: HTTPExchange, _ error: APIError, of client: ClientKind, _ readings: [RateReading]
    ) {
        do throws(APIError) {
            let all = readings + (try countStranger(exchange, client))
            exchange.commonHeaders += headers(about: all.narrowest)
            refuse(exchange, error, of: client)
        } catch {
            refuse(exchange, error, of: client)
        }
    }

    private func refuseStranger(_ request: Pending, _ error: APIError) {
        do throws(APIError) {
            request.readings += try countStranger(request.exchange, request.client)
            refuse(request, error)
        } catch {
            refuse(request, error)
        }
    }

    private static func list(_ methods: [HTTPMethod]) -> String {
        (methods.map(\.name) + (methods.contains(.get) ? ["HEAD"] : []) + ["OPTIONS"]).joined(separator: ", ")
    }

    /// Browsers ask before they send. Other clients may ask as well.
    private func answerOptions(_ exchange: HTTPExchange, _ match: RouteTable<Group>.Match) {
        guard case .otherMethods(let methods) = match else {
            return refuse(exchange, APIError(404, .notFound, "There is nothing at this path."))
        }
        exchange.respond(
            204,
            [
                ("Allow", Self.list(methods)),
                ("Access-Control-Allow-Methods", Self.list(methods)),
                ("Access-Control-Allow-Headers", group.crossOriginHeaders.accepted),
                ("Access-Control-Max-Age", "600"),
            ])
    }

    // MARK: Who asks

    private func authenticate(_ request: Pending) {
        if request.route.isOpen { return receiveFromAnybody(request) }
        guard let number = keep(request) else { return }
        let mailbox = shard.mailboxes[shard.index]
        do throws(APIError) {
            try group.authenticate(request.exchange.head, now: shard.unixSeconds) { result in
                mailbox.insist(RequestStep<Group>.authenticated(number, result))
            }
        } catch {
            pending[number] = nil
            refuseStranger(request, error)
        }
    }

    private func receiveFromAnybody(_ request: Pending) {
        guard !request.route.isForMonitors else { return receiveBody(request) }
        do throws(APIError) {
            request.readings += try countStranger(request.exchange, request.client)
        } catch {
            return refuse(request, error)
        }
        receiveBody(request)
    }

    /// Keeps a request while other threads work on it. It is removed when its connection ends.
    func keep(_ request: Pending) -> UInt64? {
        guard pending.count < group.limits.pendingRequestsMax else {
            refuse(request, .unavailable("The server is overloaded; try again in a moment."))
            return nil
        }
        let number = nextNumber
        nextNumber += 1
        pending[number] = request
        request.exchange.aborted = { [unowned self] _ in self.pending[number] = nil }
        return number
    }

    fileprivate func authenticated(_ number: UInt64, _ result: Result<Group.Sender, APIError>) {
        guard let request = pending.removeValue(forKey: number) else { return }
        let sender: Group.Sender
        do throws(APIError) {
            sender = try result.get()
        } catch {
            return refuseStranger(request, error)
        }
        do throws(APIError) {
            try checkBan(of: sender)
            request.sender = sender
            try takeOfSender(sender, request)
        } catch {
            return refuse(request, error)
        }
        request.isFresh = true
        receiveBody(request)
        request.isFresh = false
    }

    private func checkBan(of sender: Group.Sender) throws(APIError) {
        if let end = shard.local(Relay.self)?.bans.end(ofPerson: group.id(of: sender), at: shard.unixSeconds) {
            throw .forbidden(BanList.sentence(until: end))
        }
    }

    /// The body is whole. It may have come long after the head: then the token, the session or the account may have ended
    /// meanwhile, and the sender is authenticated again before anything is done. A file may take longer than a token lives: the time
    /// of its head counts for the token, which was good then.
    func received(_ request: Pending, _ body: Body) {
        guard request.sender != nil, !request.isFresh else { return run(request, body) }
        guard !request.exchange.isAnswered, let number = keep(request) else { return }
        let mailbox = shard.mailboxes[shard.index]
        do throws(APIError) {
            let now = body.isFile ? request.headAt : shard.unixSeconds
            try group.authenticate(request.exchange.head, now: now) { result in
                mailbox.insist(RequestStep<Group>.confirmed(number, result, body))
            }
        } catch {
            pending[number] = nil
            refuse(request, error)
        }
    }

    fileprivate func confirmed(_ number: UInt64, _ result: Result<Group.Sender, APIError>, _ body: Body) {
        guard let request = pending.removeValue(forKey: number) else { return }
        do throws(APIError) {
            let sender = try result.get()
            try checkBan(of: sender)
            request.sender = sender
        } catch {
            return refuse(request, error)
        }
        run(request, body)
    }

    private func takeOfSender(_ sender: Group.Sender, _ request: Pending) throws(APIError) {
        let readings = try group.count(
            sender, request.route, of: request.client, nowMilliseconds: shard.now, now: shard.unixSeconds)
        // The address's limit, which is wider, is shown where there is no other.
        if !readings.isEmpty { request.readings = readings }
    }
}

extension RouteGroup {
    /// Counts a request of a sender. Throws when it has to wait.
    ///
    /// - Parameter now: seconds since 1970.
    func count(
        _ sender: Sender, _ route: Route<Self>, of client: ClientKind, nowMilliseconds: Int64, now: Int64
    ) throws(APIError) -> [RateReading] {
        let id = id(of: sender)
        let readings = rates.count(sender: id, of: client, route.rate, nowMilliseconds: nowMilliseconds)
        for reading in readings { try reading.check(headers(about: reading, now: now)) }
        return readings
    }
}

extension [RateReading] {
    /// The limit with the least left, which the headers show.
    var narrowest: RateReading? { self.min { $0.remaining < $1.remaining } }
}

/// The result that a request waited for, by its number.
enum RequestStep<Group: RouteGroup>: ShardItem {
    case authenticated(UInt64, Result<Group.Sender, APIError>)
    /// The result of the check of a route that takes a file.
    case checked(UInt64, Result<Group.Sender, APIError>, FileUpload)
    /// The result of the second authentication, when the body has come later than the head.
    case confirmed(UInt64, Result<Group.Sender, APIError>, GroupService<Group>.Body)
    case answered(UInt64, APIReply)

    func arrive(on shard: Shard) {
        guard let service = shard.local(GroupService<Group>.self) else { return }
        switch self {
        case .authenticated(let number, let result): service.authenticated(number, result)
        case .checked(let number, let result, let upload): service.checked(number, result, upload)
        case .confirmed(let number, let result, let body): service.confirmed(number, result, body)
        case .answered(let number, let reply): service.answered(number, reply)
        }
    }
}
