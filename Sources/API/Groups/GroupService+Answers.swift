import Identity
import Rooms
import Store
import Transport
import Wire

/// The answers to requests.
extension GroupService {
    func run(_ request: Pending, _ body: Body) {
        guard !request.exchange.isAnswered, let number = keep(request) else { return }
        let read = reader(of: request, body)
        let group = group
        let context = context
        let route = request.route
        let mailbox = shard.mailboxes[shard.index]
        let head = request.exchange.head
        let mandate = request.sender.flatMap(group.mandate)
        Task.detached {
            // A body may have very many members. The loop would not serve rooms while it goes over them.
            let asked = Result { () throws(APIError) in try read() }
            var reply: APIReply
            switch asked {
            case .success(let asked):
                reply = await Mandate.$current.withValue(mandate) { await route.answer(asked, of: group, context) }
            case .failure(let error): reply = group.encode(error)
            }
            if route.method == .get, reply.file == nil {
                reply.suit(head, route, isConditional: group.isConditional)
            }
            mailbox.insist(RequestStep<Group>.answered(number, reply))
            // An upload is in progress until it is answered.
            withExtendedLifetime(asked) {}
        }
    }

    /// What makes a request for its handler, on another thread.
    private func reader(
        of request: Pending, _ body: Body
    ) -> @Sendable () throws(APIError) -> Request<Group> {
        let (head, route, limits) = (request.exchange.head, request.route, group.limits)
        let (sender, client, parameters) = (request.sender, request.client, request.parameters)
        let (address, serverURL) = (
            shard.server.countedAddress(of: request.exchange.peer), serverURL(request.exchange)
        )
        let now = shard.unixSeconds
        return { () throws(APIError) in
            let content = try body.content(for: route, limits)
            return Request(
                sender: sender, clientKind: client, address: address,
                agent: head.headers.first(named: "User-Agent") ?? "", parameters: parameters,
                query: try FieldValues(query: head.queryItems, route.query, limits), body: content.values,
                object: content.object, file: content.file, serverURL: serverURL,
                idempotencyKey: route.takesIdempotencyKey ? head.headers.first(named: "Idempotency-Key") : nil,
                now: now)
        }
    }

    /// The server's address in the form that the sender uses.
    private func serverURL(_ exchange: HTTPExchange) -> String {
        group.publicURL ?? "\(exchange.isSecure ? "https" : "http")://\(exchange.head.authority ?? "localhost")"
    }

    func answered(_ number: UInt64, _ reply: APIReply) {
        guard let request = pending.removeValue(forKey: number) else { return }
        if var file = reply.file {
            // A file may be kept, and has headers of its own.
            file.cacheControl = request.route.cacheControl(file.cacheControl)
            counter.totals.count(
                request.route, reply.status, to: request.client, milliseconds: shard.now - request.since)
            let own = Set([CacheControl.nothing.name] + group.headers.map(\.0))
            request.exchange.commonHeaders.removeAll { own.contains($0.0) }
            return request.exchange.respond(file, on: group.disks)
        }
        send(reply, request)
    }

    func refuse(_ request: Pending, _ error: APIError) { send(group.encode(error), request) }

    /// Refuses a request without a route.
    func refuse(_ exchange: HTTPExchange, _ error: APIError, of client: ClientKind = .web) {
        send(group.encode(error), exchange, to: client)
    }

    private func send(_ reply: APIReply, _ request: Pending) {
        var reply = reply
        // A refusal by a limit has the headers of that limit already.
        if reply.status != 429 { reply.headers += headers(about: request.readings.narrowest) }
        reply.headers += request.route.deprecation?.headers ?? []
        counter.totals.count(
            request.route, reply.status, to: request.client, milliseconds: shard.now - request.since)
        respond(reply, request.exchange, to: request.client)
    }

    func send(_ reply: APIReply, _ exchange: HTTPExchange, to client: ClientKind = .web) {
        counter.totals.count(Route<Group>?.none, reply.status, to: client, milliseconds: 0)
        respond(reply, exchange, to: client)
    }

    /// Answers with the description, for programs or for people.
    func respond(_ description: PreparedContent, _ headers: [(String, String)], _ exchange: HTTPExchange) {
        counter.totals.count(Route<Group>?.none, 200, to: .named(in: exchange.head) ?? .web, milliseconds: 0)
        description.answer(exchange, headers)
    }

    private func respond(_ reply: APIReply, _ exchange: HTTPExchange, to client: ClientKind) {
        var headers = reply.body.isEmpty ? [] : [("Content-Type", "application/json")]
        if reply.isConditional { exchange.commonHeaders.removeAll { $0.0 == CacheControl.nothing.name } }
        headers += group.headers(about: reply.contentBytes ?? reply.body.count, to: client)
        exchange.respond(reply.status, headers + reply.headers, body: reply.body)
    }
}

extension APIReply {
    /// Smaller contents do not get smaller enough.
    private static let compressedBytesMin = 1_024

    /// Compresses the content for a client that takes it so, names it, and leaves it out for a client that has it already. Only
    /// answers to GET come here: those with tokens are answers to POST, and must not be compressed (docs/SECURITY.md).
    fileprivate mutating func suit<Group>(_ head: HTTPRequestHead, _ route: Route<Group>, isConditional: Bool) {
        guard status == 200, !body.isEmpty else { return }
        contentBytes = body.count
        headers.append(("Vary", "Accept-Encoding"))
        let isCompressed =
            body.count >= Self.compressedBytesMin
            && ContentCoding.takesGzip(head.headers.first(named: "Accept-Encoding"))
        if isConditional {
            makeConditional(
                route, ifNoneMatch: head.headers.first(named: "If-None-Match"),
                ifModifiedSince: head.headers.first(named: "If-Modified-Since"), isCompressed: isCompressed)
        }
        guard isCompressed, !body.isEmpty else { return }
        body = Gzip.compressed(body, level: 1)
        headers.append(("Content-Encoding", "gzip"))
    }

    /// Names the content, and leaves it out for a client that has it already.
    mutating func makeConditional<Group>(
        _ route: Route<Group>, ifNoneMatch: String?, ifModifiedSince: String? = nil, isCompressed: Bool = false
    ) {
        guard status == 200, !body.isEmpty, let digest = SHA256Digest.of(body) else { return }
        // The two forms have different bytes, and so different tags.
        let tag = "\"\(Base64URL.text(Array(digest.prefix(12))))\(isCompressed ? "-gzip" : "")\""
        isConditional = true
        headers.append(("ETag", tag))
        if let lastModified { headers.append(("Last-Modified", HTTPDate(unixSeconds: Int(lastModified)).string)) }
        let isKnown = isKnown(tag, ifNoneMatch, ifModifiedSince)
        let directives = isKnown ? cacheControl.unchanged : cacheControl.answer
        headers.append((CacheControl.nothing.name, route.cacheControl(directives)))
        if isKnown { (status, body, contentBytes) = (304, [], 0) }
    }

    /// Whether the client has this content already. A tag says more than a time.
    private func isKnown(_ tag: String, _ ifNoneMatch: String?, _ ifModifiedSince: String?) -> Bool {
        guard let known = ifNoneMatch else {
            guard let lastModified, let since = ifModifiedSince.flatMap(HTTPDate.parse) else { return false }
            return lastModified <= since
        }
        // A client may have got it through a cache that calls the tag weak.
        let tags = known.split(separator: ",").map { $0.drop { " \t".contains($0) }.prefix { !" \t".contains($0) } }
        return tags.contains { $0 == tag || $0 == "W/" + tag || $0 == "*" }
    }
}
