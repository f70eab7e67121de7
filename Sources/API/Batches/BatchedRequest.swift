import Wire

/// One of the requests in the body of a batch.
struct BatchedRequest: Sendable {
    private static let pathBytesMax = 2_048
    private static let idBytesMax = 128

    /// What the client calls it; nil for nothing.
    private(set) var id: String?
    let method: HTTPMethod
    let path: String
    let query: [(name: String, value: String)]
    /// JSON; nil for none.
    let body: [UInt8]?
    let ifNoneMatch: String?
    let idempotencyKey: String?

    /// - Parameter base: what stands before paths that do not begin with `prefix`.
    init(_ json: JSONReader, base: String, prefix: String) throws(APIError) {
        guard json.kind == .object else { throw .malformed("A request of a batch must be an object.") }
        id = try Self.id(of: json)
        guard let method = json["method"]?.string.flatMap(Self.method) else {
            throw .invalid("method", "must be GET, POST, PUT, PATCH or DELETE.")
        }
        self.method = method
        guard let target = json["path"]?.string, target.hasPrefix("/"), target.utf8.count <= Self.pathBytesMax,
            !target.contains("#")
        else {
            throw .invalid(
                "path", "must begin with / and have at most \(Self.pathBytesMax) bytes, like /profiles?page=2.")
        }
        let parts = target.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
        let path = String(parts[0])
        self.path = path.hasPrefix(prefix + "/") ? path : base + path
        query = parts.count == 2 ? Self.items(parts[1]) : []
        body = json["body"].flatMap { $0.kind == .null ? nil : $0.json }
        let headers = json["headers"].flatMap { $0.kind == .null ? nil : $0 }
        guard headers?.kind ?? .object == .object else { throw .invalid("headers", "must be an object of texts.") }
        ifNoneMatch = try Self.header("if-none-match", of: headers)
        idempotencyKey = try Self.header("idempotency-key", of: headers)
        // It would name another sender for the request.
        guard try Self.header("authorization", of: headers) == nil else {
            throw .invalid("headers", "must not have Authorization: all requests of a batch are its sender's.")
        }
    }

    /// What a request that cannot be read is called.
    static func id(of json: JSONReader) throws(APIError) -> String? {
        guard let id = json["id"], id.kind != .null else { return nil }
        guard let text = id.string, text.utf8.count <= idBytesMax else {
            throw .invalid("id", "must be a text of at most \(idBytesMax) bytes.")
        }
        return text
    }

    private static func method(_ name: String) -> HTTPMethod? {
        switch name {
        case "GET": .get
        case "POST": .post
        case "PUT": .put
        case "PATCH": .patch
        case "DELETE": .delete
        default: nil
        }
    }

    /// Names of headers are the same in letters of any case.
    private static func header(_ name: String, of headers: JSONReader?) throws(APIError) -> String? {
        guard let value = headers?.members?.last(where: { $0.key.lowercased() == name })?.value else { return nil }
        guard let text = value.string else { throw .invalid("headers", "must be an object of texts.") }
        return text
    }

    private static func items(_ query: Substring) -> [(name: String, value: String)] {
        query.split(separator: "&").compactMap { item in
            let parts = item.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            guard let name = decoded(parts[0]), let value = decoded(parts.count == 2 ? parts[1] : "") else {
                return nil
            }
            return (name, value)
        }
    }

    private static func decoded(_ text: Substring) -> String? {
        let bytes = Array(text.utf8)
        return PercentDecoding.decodeText(bytes.span, 0..<bytes.count, plusIsSpace: true)
    }
}
