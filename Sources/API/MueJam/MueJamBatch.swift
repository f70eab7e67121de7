import Identity
import Rooms
import Store
import Threads
import Transport
import Wire

/// Several changes in one request. Each succeeds or fails by itself, and a repeated one changes nothing.
enum MueJamBatch {
    static let operationsMax = 100
    /// Operations of one person a minute, with all kinds of clients. A minute's worth may come at once.
    private static let rate = RequestRate(perMinute: 1_000)

    static let route = MueJamRoute(
        .post, "/muejam/v1/sync/batch", "Makes up to \(operationsMax) changes in their order.",
        body: .object("Batch"), answer: .bare("BatchResults"), takesIdempotencyKey: true, bodyBytesMax: 2 << 20, run)

    @Sendable private static func run(
        _ request: MueJamRequest, _ context: MueJamContext
    ) async throws(APIError) -> APIReply {
        let actor = try request.actor()
        let key = try request.checkedIdempotencyKey()
        guard let operations = (try? JSONReader(request.object))?["operations"]?.items else {
            throw .invalid("operations", "must be an array.")
        }
        guard (1...operationsMax).contains(operations.count) else {
            throw .invalid("operations", "must have 1 to \(operationsMax) items.")
        }
        var results: [Result<String, APIError>] = []
        // One that is refused may be what those behind it need, so these are refused with it.
        var refusal: APIError?
        for (index, json) in operations.enumerated() {
            do throws(APIError) {
                if refusal == nil { refusal = count(actor, context) }
                if let refusal { throw refusal }
                let operation = try Operation(json, batch: key.map { "\($0):\(index)" })
                results.append(.success(try await context.change(operation.change, by: actor, as: operation.key).id))
            } catch {
                // While the store fails, or once the session has ended, the rest would fail too: the client repeats the whole batch.
                if error.status >= 500 || error.status == 401 { throw error }
                results.append(.failure(error))
            }
        }
        return .bare { json in
            json.beginObject()
            json.key("results")
            json.beginArray()
            for result in results { json.result(result) }
            json.endArray()
            json.endObject()
        }
    }

    /// Counts an operation. Answers why it has to wait, if it has to.
    private static func count(_ actor: LibraryActor, _ context: MueJamContext) -> APIError? {
        guard context.options.isLimited else { return nil }
        let now = Clock.milliseconds()
        let reading = context.group.rates.senders.count(ExactText(actor.id), nowMilliseconds: now) {
            $0.take(rate, nowMilliseconds: now)
        }
        return reading.flatMap { $0.waitMilliseconds > 0 ? .rateLimitExceeded($0, []) : nil }
    }

    /// One of the changes.
    private struct Operation {
        let change: LibraryChange
        let key: IdempotencyKey?

        init(_ json: JSONReader, batch: String?) throws(APIError) {
            guard json.kind == .object else { throw .invalid("operations", "must be an array of objects.") }
            let data = json["data"]
            guard data == nil || data?.kind == .object else { throw .invalid("data", "must be an object.") }
            let object = data?.json ?? Array("{}".utf8)
            guard let type = json["type"]?.string, let resource = json["resource"]?.string else {
                throw .invalid("type", "and resource must say what is to be done.")
            }
            change = try Self.change(type, resource, try Values(object, json))
            key = try Self.key(json, batch, fingerprint: [type, resource], object)
        }

        /// What a change needs besides its kind's own fields.
        private struct Values {
            let object: [UInt8]
            let id: String?
            let version: Int64?

            init(_ object: [UInt8], _ operation: JSONReader) throws(APIError) {
                self.object = object
                let fields = [Field("id", .id), Field("resource_id", .id), MueJamRequest.version]
                let data = try FieldValues(object, fields, APILimits())
                let own = try FieldValues(operation.json, Array(fields.dropFirst()), APILimits())
                id = data.text("id") ?? data.text("resource_id") ?? own.text("resource_id")
                version = data.integer("client_version") ?? own.integer("client_version")
            }

            func values(_ fields: [Field]) throws(APIError) -> FieldValues {
                try FieldValues(object, fields, APILimits())
            }

            func knownID() throws(APIError) -> String {
                guard let id else { throw Field("id", .id, required: true).isMissing }
                return id
            }
        }

        private static func change(
            _ type: String, _ resource: String, _ given: Values
        ) throws(APIError) -> LibraryChange {
            switch (type, resource) {
            case ("create", "whisper"):
                let fields = MueJamFields.of(.whisper, isNew: true) + MueJamFields.about
                return .add(MueJamFields.new(.whisper, try given.values(fields)))
            case ("create", "story"):
                let fields = MueJamFields.of(.story, isNew: true) + [MueJamFields.slug, MueJamFields.published]
                return .add(MueJamFields.new(.story, try given.values(fields)))
            case ("create", "chapter"):
                let fields =
                    MueJamFields.of(.chapter, isNew: true)
                    + [MueJamFields.slug, MueJamFields.published, Field("story_id", .id, required: true)]
                return .add(MueJamFields.new(.chapter, try given.values(fields)))
            case ("create", "progress"), ("update", "progress"):
                let values = try given.values(
                    MueJamFields.of(.progress, isNew: true) + [Field("chapter_id", .id, required: true)])
                return .read(
                    chapter: values.text("chapter_id") ?? "", percent: values.integer("progress_percent") ?? 0,
                    version: given.version)
            case ("create", "like"), ("delete", "like"):
                return .like(.whisper, try of("whisper_id", given), type == "create")
            case ("create", "follow"), ("delete", "follow"):
                return .follow(try of("user_id", given), type == "create")
            default: return try changeOfOne(type, resource, given)
            }
        }

        private static func of(_ name: String, _ given: Values) throws(APIError) -> String {
            try given.values([Field(name, .id, required: true)]).text(name) ?? ""
        }

        private static func changeOfOne(
            _ type: String, _ resource: String, _ given: Values
        ) throws(APIError) -> LibraryChange {
            guard let kind = LibraryItem.Kind(rawValue: resource) else {
                throw .invalid("resource", "must be one of story, chapter, whisper, progress, like, follow.")
            }
            switch type {
            case "update":
                let values = try given.values(MueJamFields.of(kind, isNew: false))
                return .edit(kind, try given.knownID(), LibraryFields(values, of: kind), version: given.version)
            case "delete": return .remove(kind, try given.knownID(), version: given.version)
            case "publish" where kind == .story || kind == .chapter:
                return .publish(kind, try given.knownID(), true)
            default: throw .invalid("type", "must be one of create, update, delete, publish.")
            }
        }

        private static func key(
            _ operation: JSONReader, _ batch: String?, fingerprint: [String], _ data: [UInt8]
        ) throws(APIError) -> IdempotencyKey? {
            let own = try FieldValues(operation.json, [Field("id", .id), Field("operation_id", .id)], APILimits())
            let name = own.text("id") ?? own.text("operation_id")
            guard let key = name.map({ "operation:" + $0 }) ?? batch.map({ "batch:" + $0 }) else { return nil }
            let text = Array(fingerprint.joined(separator: "\n").utf8) + [0x0a] + data
            return IdempotencyKey(key: key, fingerprint: SHA256Digest.of(text).map { Base64URL.text($0) } ?? "")
        }
    }
}

extension JSONWriter {
    fileprivate mutating func result(_ result: Result<String, APIError>) {
        beginObject()
        switch result {
        case .success(let id):
            member("status", "success")
            member("resource_id", id)
        case .failure(let error):
            member("status", "error")
            member("status_code", error.status)
            key("error")
            mueJamFailure(error)
        }
        endObject()
    }
}
