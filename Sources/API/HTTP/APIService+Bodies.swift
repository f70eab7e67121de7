import Identity
import Media
import Rooms
import Store
import Transport
import Wire

/// What requests bring, and what they are answered.
extension APIService {
    /// What has come of a request's body.
    enum Body {
        case none
        case bytes([UInt8])
        case file(UploadedFile)
    }

    func receiveBody(_ request: Pending, from sender: VerifiedToken) throws(APIError) {
        switch request.route.body {
        case .none: run(request, .none)
        case .fields, .object: try receiveJSON(request)
        case .file(let kind): try receiveFile(request, kind, from: sender)
        }
    }

    // MARK: JSON

    private func receiveJSON(_ request: Pending) throws(APIError) {
        let head = request.exchange.head
        if let type = head.headers.first(named: "Content-Type"), !Self.isJSON(type) {
            throw APIError(415, .validation, "The body must be JSON, with Content-Type: application/json.")
        }
        let most = api.limits.bodyBytesMax
        switch head.body {
        case .none: throw .malformed("A JSON body is needed.")
        case .length(let length) where length > most: throw Self.tooLarge(most)
        case .length:
            request.exchange.receiveBody(max: most) { [unowned self] _, body in self.run(request, .bytes(body)) }
        case .chunked: gather(request, most)
        }
    }

    private static func isJSON(_ type: String) -> Bool {
        let type = type.prefix { $0 != ";" }.lowercased()
        return type.filter { $0 != " " && $0 != "\t" } == "application/json"
    }

    private static func tooLarge(_ most: Int) -> APIError {
        APIError(413, .payloadTooLarge, "A body may have \(most) bytes.")
    }

    /// A body whose length nobody knows yet.
    private func gather(_ request: Pending, _ most: Int) {
        var body: [UInt8] = []
        request.exchange.streamBody(max: Self.uncounted) { [unowned self] bytes in
            guard body.count + bytes.count <= most else { return self.send(Self.tooLarge(most).reply, request) }
            body.append(contentsOf: bytes)
        } done: { [unowned self] _ in
            self.run(request, .bytes(body))
        }
    }

    /// Bodies are counted here, so that the refusal is one of this interface.
    private static let uncounted = 1 << 40

    // MARK: Files

    private func receiveFile(
        _ request: Pending, _ kind: MediaKind, from sender: VerifiedToken
    ) throws(APIError) {
        guard let media = api.media, media.hasWorker else {
            throw .unavailable("This server cannot work on files, and takes none. Its log says why.")
        }
        guard !media.refusesUploads else {
            throw .unavailable("This server takes no files at the moment; try again in a moment.")
        }
        let head = request.exchange.head
        guard let boundary = head.headers.first(named: "Content-Type").flatMap(MultipartBoundary.init(contentType:))
        else { throw APIError(415, .validation, "The body must be a form: multipart/form-data with its boundary.") }
        switch head.body {
        case .none: throw .malformed("A form with a file is needed.")
        case .length(let length) where length > media.library.limits.bodyBytesMax(kind):
            throw APIError(MediaError.tooLarge(bytesMax: media.library.limits.bytesMax(kind)))
        case .length, .chunked: break
        }
        guard request.route.access.needsProfile(isOpen: api.isOpen) else {
            return stream(request, kind, boundary, media, sender.subject)
        }
        // Nobody sends megabytes only to hear that they may not.
        guard let number = keep(request) else { return }
        let mailbox = shard.mailboxes[shard.index]
        api.store.account(sender.subject) { answer in
            mailbox.insist(RequestStep.found(number, answer, kind, boundary))
        }
    }

    func found(
        _ answer: Result<Account?, StoreError>, _ number: UInt64, _ kind: MediaKind, _ boundary: MultipartBoundary
    ) {
        guard let request = pending.removeValue(forKey: number), let media = api.media else { return }
        switch answer {
        case .success(let account?) where account.profile != nil:
            stream(request, kind, boundary, media, account.id)
        case .success: send(APIError.incompleteProfile.reply, request)
        case .failure(let error): send(APIError(error).reply, request)
        }
    }

    private func stream(
        _ request: Pending, _ kind: MediaKind, _ boundary: MultipartBoundary, _ media: MediaService, _ person: String
    ) {
        guard let seat = media.seats.take(ExactText(person)) else {
            return send(
                APIError.unavailable("Too many files are being uploaded; try again in a moment.").reply, request)
        }
        let told: Int? = if case .length(let length) = request.exchange.head.body { length } else { nil }
        let body = UploadBody(kind, boundary, told: told, media.library, seat)
        request.exchange.streamBody(max: Self.uncounted, to: body, on: media.disks) { [unowned self] _, failure in
            switch (failure, body.file) {
            case (nil, let file?): self.run(request, .file(file))
            case (let fault as MediaError, _): self.send(media.fault(fault).reply, request)
            default:
                self.send(APIError.unavailable("The server has too much to do; try again in a moment.").reply, request)
            }
        }
    }

    // MARK: The answer

    func run(_ request: Pending, _ body: Body) {
        guard !request.exchange.isAnswered else { return }
        let asked: APIRequest
        do throws(APIError) {
            asked = try read(request, body)
        } catch {
            return send(error.reply, request)
        }
        guard let number = keep(request) else { return }
        let (api, rooms, route, mailbox) = (api, rooms, request.route, shard.mailboxes[shard.index])
        Task.detached {
            let reply = await api.answer(asked, by: route, rooms)
            mailbox.insist(RequestStep.answered(number, reply))
            // An upload is under way until its answer is.
            withExtendedLifetime(asked) {}
        }
    }

    private func read(_ request: Pending, _ body: Body) throws(APIError) -> APIRequest {
        let (head, route, limits) = (request.exchange.head, request.route, api.limits)
        var (values, object, file) = (FieldValues(), [UInt8](), UploadedFile?.none)
        switch (body, route.body) {
        case (.bytes(let bytes), .fields(let fields)): values = try FieldValues(bytes, fields, limits)
        case (.bytes(let bytes), _):
            // Its handler takes it as it is, but an object it must be.
            _ = try FieldValues(bytes, [], limits)
            object = bytes
        case (.file(let uploaded), _): file = uploaded
        case (.none, _): break
        }
        return APIRequest(
            subject: request.sender?.subject ?? "", email: request.sender?.email ?? "",
            address: shard.server.countedAddress(of: request.exchange.peer), parameters: request.parameters,
            query: try FieldValues(query: head.queryItems, route.query, limits),
            body: values, object: object, file: file, serverURL: serverURL(request.exchange),
            idempotencyKey: route.takesIdempotencyKey ? head.headers.first(named: "Idempotency-Key") : nil,
            now: shard.unixSeconds)
    }

    /// How whoever asks calls this server.
    private func serverURL(_ exchange: HTTPExchange) -> String {
        api.publicURL ?? "\(exchange.isSecure ? "https" : "http")://\(exchange.head.authority ?? "localhost")"
    }

    func answered(_ number: UInt64, _ reply: APIReply) {
        guard let request = pending.removeValue(forKey: number) else { return }
        if let file = reply.file {
            // A file may be kept by whoever gets it, and has headers of its own.
            totals.count(request.route, reply.status, milliseconds: shard.now - request.since)
            request.exchange.commonHeaders.removeAll { ["Cache-Control", "X-Content-Type-Options"].contains($0.0) }
            return request.exchange.respond(file, on: api.media?.disks)
        }
        send(reply, request)
    }

    func send(_ reply: APIReply, _ request: Pending) {
        var reply = reply
        // A refusal by a limit has told of that limit already.
        if reply.status != 429 { reply.headers += request.rateHeaders }
        totals.count(request.route, reply.status, milliseconds: shard.now - request.since)
        respond(reply, request.exchange)
    }

    func send(_ reply: APIReply, _ exchange: HTTPExchange) {
        totals.count(nil, reply.status, milliseconds: 0)
        respond(reply, exchange)
    }

    private func respond(_ reply: APIReply, _ exchange: HTTPExchange) {
        let type = reply.body.isEmpty ? [] : [("Content-Type", "application/json")]
        exchange.respond(reply.status, type + reply.headers, body: reply.body)
    }
}
