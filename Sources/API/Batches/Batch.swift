import Rooms
import Threads
import Transport
import Wire

/// Several requests of one sender in the body of one. Each is checked, counted and answered as if it had come alone, one after
/// another.
struct Batch<Group: RouteGroup>: Sendable {
    static var requestsMax: Int { 20 }
    /// When the answers have so many bytes, the rest of the requests is not done. Each must fit in memory beside the others.
    static var answersBytesMax: Int { 1 << 20 }

    let group: Group
    let context: Group.Context
    /// The request that has the batch.
    let outer: Request<Group>
    /// What stands before the paths of the requests, and what paths that need nothing before them begin with.
    let base: String
    let prefix: String
    /// The path of batches, of which none is in another.
    let path: String
    /// Throws when the sender's session has ended, as one of the requests may have done.
    let checkSender: @Sendable () async throws(APIError) -> Void

    /// - Parameter json: an array.
    func run(_ json: [UInt8]) async throws(APIError) -> APIReply {
        guard let items = (try? JSONReader(json))?.items else { throw .invalid("requests", "must be an array.") }
        guard (1...Self.requestsMax).contains(items.count) else {
            throw .invalid("requests", "must have 1 to \(Self.requestsMax) requests.")
        }
        var answers: [(id: String?, reply: APIReply)] = []
        var byteCount = 0
        for item in items {
            var reply: APIReply
            do throws(APIError) {
                reply = try await answer(item, isFull: byteCount > Self.answersBytesMax)
            } catch {
                reply = group.encode(error)
            }
            byteCount += reply.body.count
            answers.append((try? BatchedRequest.id(of: item), reply))
        }
        return .bare { json in
            json.beginObject()
            json.key("responses")
            json.beginArray()
            for answer in answers { json.batched(answer.reply, id: answer.id) }
            json.endArray()
            json.endObject()
        }
    }

    private func answer(_ item: JSONReader, isFull: Bool) async throws(APIError) -> APIReply {
        let asked = try BatchedRequest(item, base: base, prefix: prefix)
        guard asked.path != path else { throw .malformed("A batch must not be in a batch.") }
        guard !isFull else {
            throw APIError(413, .payloadTooLarge, "The answers to the batch are too large; send this request alone.")
        }
        let (route, parameters) = try find(asked)
        guard let sender = outer.sender, !route.isOpen else {
            throw .malformed("A call that needs no token must not be in a batch.")
        }
        let readings = try group.count(
            sender, route, of: outer.clientKind, nowMilliseconds: Clock.milliseconds(), now: outer.now)
        try await checkSender()
        var reply = await route.answer(try request(asked, route, parameters), of: group, context)
        if reply.status != 429, let reading = readings.narrowest {
            reply.headers += group.headers(about: reading, now: outer.now)
        }
        reply.headers += route.deprecation?.headers ?? []
        if group.isConditional, route.method == .get { reply.makeConditional(route, ifNoneMatch: asked.ifNoneMatch) }
        return reply
    }

    private func find(_ asked: BatchedRequest) throws(APIError) -> (Route<Group>, [String: String]) {
        switch group.routes.find(asked.method, asked.path) {
        case .route(let route, let parameters): return (route, parameters)
        case .otherMethods: throw APIError(405, .validation, "This path does not accept \(asked.method.name).")
        case .none: throw APIError(404, .notFound, "There is nothing at this path.")
        }
    }

    private func request(
        _ asked: BatchedRequest, _ route: Route<Group>, _ parameters: [String: String]
    ) throws(APIError) -> Request<Group> {
        var (values, object) = (FieldValues(), [UInt8]())
        switch route.body {
        case .none: break
        case .file, .chunk: throw .malformed("A file must not be in a batch.")
        case .fields, .object:
            guard let body = asked.body else { throw .malformed("A JSON body is needed.") }
            (values, object) = try route.read(json: body, group.limits)
        }
        return Request(
            sender: outer.sender, clientKind: outer.clientKind, address: outer.address, agent: outer.agent,
            parameters: parameters, query: try FieldValues(query: asked.query, route.query, group.limits), body: values,
            object: object,
            file: nil, serverURL: outer.serverURL,
            idempotencyKey: route.takesIdempotencyKey ? asked.idempotencyKey : nil, now: outer.now)
    }
}

extension JSONWriter {
    fileprivate mutating func batched(_ reply: APIReply, id: String?) {
        beginObject()
        if let id { member("id", id) }
        member("status", reply.status)
        key("headers")
        beginObject()
        for (name, value) in reply.headers { member(name, value) }
        endObject()
        key("body")
        if reply.body.isEmpty { null() } else { raw(reply.body.span) }
        endObject()
    }
}
